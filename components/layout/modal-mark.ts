/** The attribute of the dialogs that `Modal` renders. */
export const MODAL = "data-modal";
