import { toast } from './toast.js';

/** Whether what is dragged or pasted has files. @param {DataTransfer | null} transfer @returns {transfer is DataTransfer} */
export const carriesFiles = (transfer) => transfer?.types.includes('Files') ?? false;

/**
 * Whether files are pasted. A text field keeps what is pasted into it: what is copied
 * from a table is text and a picture.
 *
 * @param {ClipboardEvent} e
 */
export const pastesFiles = (e) => carriesFiles(e.clipboardData) && !(e.target instanceof Element && e.target.matches(':read-write'));

/** Keeps a page that takes no files, for which a browser would leave it, and says where they can be added. */
export function refuseFiles() {
  /** @param {Event} e */
  const refuse = (e) => {
    e.preventDefault();
    toast('Files can’t be added here', 'Add images and masks on the project page.');
  };
  document.addEventListener('dragover', (e) => carriesFiles(e.dataTransfer) && e.preventDefault());
  document.addEventListener('drop', (e) => carriesFiles(e.dataTransfer) && refuse(e));
  document.addEventListener('paste', (e) => pastesFiles(e) && refuse(e));
}
