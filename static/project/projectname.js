/** The longest name that a project can have. */
const LONGEST = 100;

/**
 * The name of a project made for files: the first one's name, how many there are
 * besides, and the day.
 *
 * @param {readonly string[]} files their names
 * @param {Date} day
 */
export function projectName(files, day) {
  const more = files.length > 1 ? ` and ${files.length - 1} more` : '';
  const tail = `${more}, ${day.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}`;
  const stem = files[0].replace(/\.[^.]*$/, '').trim() || 'Untitled';
  return [...stem].slice(0, LONGEST - tail.length).join('') + tail;
}
