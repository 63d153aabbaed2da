/** Which suite this is: what accepts an eval job writes it into the job, and what runs the job has the same one. */

export const suiteName = 'eval-run';
/** Raised by any change that alters a generated case or a verdict. */
export const suiteVersion = '1';
/** The cases of a run; the categories of this version make so many. */
export const suiteCaseCount = 40;
