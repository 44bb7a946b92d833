/** The longest name that a project can have. */
const LONGEST = 100;

/**
 * The name of a project made for files: their folder, or the first one's name and
 * how many there are besides; and the day.
 *
 * @param {readonly string[]} files their names, with paths from a folder on that was dropped or chosen
 * @param {Date} day
 */
export function projectName(files, day) {
  const more = files.length > 1 ? ` and ${files.length - 1} more` : '';
  const date = `, ${day.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}`;
  const [folder, inside] = files[0].split('/');
  const shared = inside !== undefined && files.every((name) => name.startsWith(`${folder}/`));
  const tail = shared ? date : more + date;
  const stem = shared ? folder : files[0].slice(files[0].lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  return [...(stem.trim() || 'Untitled')].slice(0, LONGEST - tail.length).join('') + tail;
}
