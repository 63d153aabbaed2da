/** Something that could not be installed. The message says what, why and how to get it; no stack trace is shown. */
export class MissingTool extends Error {}
