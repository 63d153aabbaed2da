/**
 * Output of commands: JSON with `--json`, else short lines for people. Results go to stdout, everything else
 * to stderr.
 */
import { isControlCharacter, showControlCharacters } from '#evals/suite/control-characters.ts';
import { showProgress } from '../client/progress-bar.ts';

export interface Output {
  /** Prints the result of a command, once: the value as JSON, or the lines that describe it. */
  result(value: unknown, lines: readonly string[]): void;
  /** Shows progress; silent with `--json`. */
  progress(done: number, total: number): void;
}

/** Escapes control characters in both formats, because text from strangers must not control the terminal. */
export function createOutput(json: boolean): Output {
  return {
    result: (value, lines) => console.log(json ? jsonOf(value) : showControlCharacters(lines.join('\n'))),
    progress: (done, total) => {
      if (!json) showProgress(done, total, process.stderr);
    },
  };
}

/** `JSON.stringify` leaves some control characters as they are; escaped, they mean the same. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/[^\n -~]/g, (unit) =>
    isControlCharacter(unit.charCodeAt(0)) ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit,
  );
}
