/**
 * A tool that could not be installed. Shown as a message without a stack trace: what, why, and how to get it.
 */
export class MissingTool extends Error {}
