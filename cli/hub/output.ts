/** How commands speak: JSON for programs with `--json`, else short lines for people. Results go to stdout, all else to stderr. */
import { showProgress } from '../client/progress-bar.ts';

export interface Output {
  /** The result of a command, once: the value itself, or the lines that tell of it. */
  result(value: unknown, lines: readonly string[]): void;
  /** What goes on meanwhile; left out with `--json`. */
  progress(done: number, total: number): void;
}

export function createOutput(json: boolean): Output {
  return {
    result: (value, lines) => console.log(json ? JSON.stringify(value, null, 2) : lines.join('\n')),
    progress: (done, total) => {
      if (!json) showProgress(done, total, process.stderr);
    },
  };
}
