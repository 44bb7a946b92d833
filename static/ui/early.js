// Runs before the first paint, so that a remembered theme does not flash.
{
  let theme = null;
  try {
    theme = localStorage.getItem('collie-theme');
  } catch {
    // Storage may be switched off; the system's preference then decides.
  }
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
}
