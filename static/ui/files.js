/** Whether what is dragged or pasted has files. @param {DataTransfer | null} transfer @returns {transfer is DataTransfer} */
export const carriesFiles = (transfer) => transfer?.types.includes('Files') ?? false;

/**
 * Whether files are pasted. A text field keeps what is pasted into it: what is copied
 * from a table is text and a picture.
 *
 * @param {ClipboardEvent} e
 */
export const pastesFiles = (e) => carriesFiles(e.clipboardData) && !(e.target instanceof Element && e.target.matches(':read-write'));
