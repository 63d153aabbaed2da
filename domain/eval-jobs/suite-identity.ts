/** Which suite an accepted eval job will run. The suite itself lives with the eval-runner, which checks that it is this one. */

export const suiteName = 'eval-run';
/** Raised whenever the same seed would give other cases or other verdicts. */
export const suiteVersion = '1';
export const suiteCaseCount = 40;
