/** Runs programs, each in a process of its own. */

export interface EndedProgram {
  readonly exitCode: number;
  readonly printed: string;
  readonly complaints: string;
}

interface ProgramOptions {
  readonly cwd?: string;
  /** The whole environment; by default that of the tests. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether it leads a process group, as one typed into a terminal does. */
  readonly detached?: boolean;
  /** Opens a channel to it, which closes with this process. */
  readonly ipc?: (message: unknown) => void;
  /** By default nothing. */
  readonly stdin?: Blob;
  /** Milliseconds after which it is killed. */
  readonly timeout?: number;
}

export type StartedProgram = ReturnType<typeof startProgram>;

/** Far longer than anything takes on a machine under load. */
const waitMaxMs = 90_000;
const lookEveryMs = 10;

export function startProgram(words: readonly string[], options: ProgramOptions = {}) {
  const streams = { stdin: options.stdin ?? 'ignore', stdout: 'pipe', stderr: 'pipe' } as const;
  const child = Bun.spawn([...words], { killSignal: 'SIGKILL', ...options, ...streams });
  const complaints = follow(child.stderr);
  const printed = follow(child.stdout, { complaints });
  const ended = Promise.all([child.exited, printed.ended, complaints.ended]).then(
    ([exitCode]): EndedProgram => ({ exitCode, printed: printed.text(), complaints: complaints.text() }),
  );
  return { child, printed: printed.text, complaints: complaints.text, until: printed.until, ended };
}

interface Followed {
  readonly text: () => string;
  /** Waits for the nth match, by default the first. Rejects if the output ends without one. */
  readonly until: (wanted: RegExp, times?: number) => Promise<RegExpExecArray>;
  readonly ended: Promise<void>;
}

/**
 * Reads the whole output, so that the program never blocks on a full pipe.
 * @param kept characters at its end; by default all
 */
export function follow(
  output: ReadableStream<Uint8Array>,
  { kept = Infinity, complaints }: { readonly kept?: number; readonly complaints?: Followed } = {},
): Followed {
  let text = '';
  let isOver = false;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of output) text = (text + decoder.decode(chunk, { stream: true })).slice(-kept);
    await complaints?.ended;
    isOver = true;
  };
  return {
    text: () => text,
    until: async (wanted, times = 1) => {
      const giveUpAt = performance.now() + waitMaxMs;
      for (; performance.now() < giveUpAt; await Bun.sleep(lookEveryMs)) {
        const found = [...text.matchAll(new RegExp(wanted, 'g'))].at(times - 1);
        if (found !== undefined) return found;
        if (isOver)
          throw new Error(`The program ended without ${wanted}:\n${text}${complaints?.text() ?? ''}`);
      }
      throw new Error(`${wanted} was not written within 90 seconds:\n${text}`);
    },
    ended: read(),
  };
}

export function runProgram(words: readonly string[], options: ProgramOptions = {}): Promise<EndedProgram> {
  return startProgram(words, options).ended;
}
