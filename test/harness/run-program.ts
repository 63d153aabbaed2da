/** Runs a program to its end. */

export interface EndedProgram {
  readonly exitCode: number;
  readonly printed: string;
  readonly complaints: string;
}

interface ProgramOptions {
  readonly cwd?: string;
  /** The whole environment; by default that of the tests. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What it reads on stdin; nothing by default. */
  readonly input?: string;
  /** After which it is ended. */
  readonly timeoutMs?: number;
}

export async function runProgram(
  words: readonly string[],
  { cwd, env, input, timeoutMs }: ProgramOptions = {},
): Promise<EndedProgram> {
  const child = Bun.spawn([...words], {
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  });
  const [exitCode, printed, complaints] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode, printed, complaints };
}
