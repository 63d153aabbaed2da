/**
 * The module that the files of a pack import as `agent-hub/eval-suite`: the types of a category, and the building
 * blocks of the public kinds.
 */
export { type ExactTask, exactTask } from '../exact-task.ts';
export { gradeAll, gradeWith } from '../grading/grade-checks.ts';
export { gradeJson } from '../grading/grade-json.ts';
export type { Level } from '../ladder/ladder.ts';
export { askForAnswer, askForNumber } from '../language/ask-for-answer.ts';
export { firstDraft } from '../language/draft.ts';
export { inventNames, inventWords } from '../language/invented-word.ts';
export type { Random } from '../random.ts';
export type { AnswerType, AnswerValue } from '../reader/answer.ts';
export { readAnswer } from '../reader/read-answer.ts';
export type { Category, Kind, Task, TaskGrade, TaskLimits } from '../task.ts';
