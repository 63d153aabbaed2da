/** The bounds of a suite document. The texts of errors name them. */

export const maxDocumentBytes = 5 * 1024 * 1024;
export const maxCases = 2_000;
export const maxPromptCharacters = 200_000;
export const maxMessages = 50;
/** Images of one message, and the bytes of those of a case and of a suite, each image counted once. */
export const maxMessageImages = 16;
export const maxCaseImageBytes = 5 * 1024 * 1024;
export const maxSuiteImageBytes = 10 * 1024 * 1024;
/** A document with the files that it names, its images in base64. */
export const maxSentBytes = maxDocumentBytes + 1.5 * maxSuiteImageBytes;
/** User messages of a case that are sent one after the other. */
export const maxTurns = 20;
/** Of a case, or of all. */
export const maxVariables = 200;
export const maxIncluded = 10;
export const maxTools = 64;
/** Of what a tool returns. */
export const maxRules = 64;
/** Of an agent in a case whose tools return something. */
export const maxSteps = 50;
export const maxGraders = 32;
export const maxTrials = 8;
/** Judges of a document, of one case, and how often one is asked for a reply. */
export const maxJudges = 500;
export const maxJudgeTitleCharacters = 200;
export const maxJudgesOfCase = 8;
export const maxVotes = 9;
export const maxRubricCharacters = 4_000;
export const maxTags = 16;
/** Assertions that an import left out of a case, and characters of each. */
export const maxLost = 16;
export const maxLostCharacters = 100;
/** Cases that an import left out; more are counted as this many. */
export const maxLeftOut = 1_000_000;
/** Of the grader `matches`. */
export const maxExpressionCharacters = 1_000;
/** Levels of `all`, `any` and `not` inside each other. */
export const maxCombinatorDepth = 4;
/** Levels of objects and arrays in the document. */
export const maxDocumentDepth = 64;
/** Tokens of a document: values, keys, marks and line breaks. Each takes up to 0.5 kB while a document is read. */
export const maxTokens = 500_000;
/** `accepted` and `refused` replies of one case. */
export const maxSampleReplies = 20;
/** Results of sample replies that are listed. */
export const maxSampleResults = 1_000;
/** Faults that are listed; a document with more is as faulty. */
export const maxFaults = 100;
/** Characters of a reply that graders read. A longer reply fails. */
export const maxReplyCharacters = 262_144;

/** Steps of work (see `work-budget.ts`) that grading one reply may take: about 0.1 s. No honest grader takes a tenth. */
export const maxReplyWork = 10_000_000;
/** Steps that checking one document may take, sample replies included: about 2 s. */
export const maxDocumentWork = 200_000_000;
