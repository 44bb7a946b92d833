import { refuseFiles } from './files.js';
import { themeToggle } from './theme.js';

refuseFiles();
themeToggle();
