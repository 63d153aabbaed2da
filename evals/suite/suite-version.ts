export const suiteName = 'eval-run';
/** Raised by every change to a generated case or a verdict. */
export const suiteVersion = '7';
