/** The suite's name and version. A change that alters any generated case or any verdict raises the version. */
export const suiteName = 'eval-run';
export const suiteVersion = '1';
