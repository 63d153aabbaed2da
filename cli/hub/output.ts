/** How commands speak: JSON for programs with `--json`, else short lines for people. Results go to stdout, all else to stderr. */
import { isControlCharacter, showControlCharacters } from '#domain/eval-suite/control-characters.ts';
import { showProgress } from '../client/progress-bar.ts';

export interface Output {
  /** The result of a command, once: the value itself, or the lines that tell of it. */
  result(value: unknown, lines: readonly string[]): void;
  /** What goes on meanwhile; left out with `--json`. */
  progress(done: number, total: number): void;
}

/** What strangers wrote must not steer the terminal in either form. */
export function createOutput(json: boolean): Output {
  return {
    result: (value, lines) => console.log(json ? jsonOf(value) : showControlCharacters(lines.join('\n'))),
    progress: (done, total) => {
      if (!json) showProgress(done, total, process.stderr);
    },
  };
}

/** `JSON.stringify` lets some control characters by; written as escapes they mean the same. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/[^\n -~]/g, (unit) =>
    isControlCharacter(unit.charCodeAt(0)) ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit,
  );
}
