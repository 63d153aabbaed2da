/** What runs a whole hub, as messages name it: the compiled binary has no npm beside it. */
export const startCommand = Bun.isStandaloneExecutable ? 'hub start' : 'npm start';
