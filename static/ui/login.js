import { themeToggle } from './theme.js';

themeToggle();
