/** Forwards what the test runner prints, and keeps what failed tests printed. */

const maxSummaryCharacters = 4000;
/** Of what a failed test has printed, so that the end of a long output still says why. */
const maxLinesPerFailure = 60;

export interface Output {
  /** The end of the stream. */
  readonly end: string;
  /** What each failed test printed, with the line of its result last. */
  readonly failures: readonly string[];
  /**
   * The results of each file in which something failed, as in the runner's totals. These leave out errors between
   * tests, such as that of a test that went on after its timeout, so a file may have failed with 0 failures.
   */
  readonly failedFiles: ReadonlyMap<string, { readonly passed: number; readonly failed: number }>;
}

export async function passOn(
  stream: AsyncIterable<Uint8Array>,
  to: { write(chunk: Uint8Array): unknown },
): Promise<Output> {
  const decoder = new TextDecoder();
  let end = '';
  let unread = '';
  let ofOneTest: string[] = [];
  /** Results that came before what the test printed, as the runner of several files may write them. */
  const unexplained: string[] = [];
  const failures: string[] = [];
  const results = new ResultsByFile();
  const keep = (result: string): void => {
    // The runner lists failures once more at its end, then without what they printed.
    if (result === 'fail' && ofOneTest.length === 1) unexplained.push(ofOneTest[0] ?? '');
    else if (result === 'fail') failures.push(ofOneTest.slice(-maxLinesPerFailure).join('\n'));
    else if (unexplained.length > 0 && ofOneTest.some((line) => Bun.stripANSI(line).startsWith('error:')))
      failures.push([...ofOneTest.slice(0, -1).slice(0, maxLinesPerFailure), unexplained.shift()].join('\n'));
    ofOneTest = [];
  };
  for await (const chunk of stream) {
    to.write(chunk);
    const text = decoder.decode(chunk, { stream: true });
    end = (end + text).slice(-maxSummaryCharacters);
    const lines = (unread + text).split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) {
      ofOneTest.push(line);
      results.read(Bun.stripANSI(line));
      const result = /^\((pass|fail|skip)\)/.exec(Bun.stripANSI(line))?.[1];
      if (result !== undefined) keep(result);
    }
  }
  ofOneTest.push(unread);
  keep('none');
  return { end, failures, failedFiles: results.failed() };
}

interface FileResults {
  passed: number;
  failed: number;
  hasResults: boolean;
  hasErrors: boolean;
}

/** The results of each file, by the runner's lines: below a line with its name comes what its tests print. */
class ResultsByFile {
  private readonly files = new Map<string, FileResults>();
  private file = '';
  private isSummary = false;

  read(line: string): void {
    // The runner lists failures once more at its end.
    if (/^\d+ tests? failed:$/.test(line)) this.isSummary = true;
    if (this.isSummary) return;
    // A file that was never run, or whose process died, has a line of its own.
    const ended = /^✗ (\S+\.test\.tsx?) \(/.exec(line)?.[1];
    this.file = ended ?? /^(\S+\.test\.tsx?):$/.exec(line)?.[1] ?? this.file;
    const of = this.files.get(this.file) ?? { passed: 0, failed: 0, hasResults: false, hasErrors: false };
    if (line.startsWith('(pass) ')) of.passed += 1;
    // What passed before the process died is not in the runner's totals.
    if (ended !== undefined) of.passed = 0;
    const isError = line === '# Unhandled error between tests';
    // Before any result, it means that the file does not load.
    if (ended !== undefined || line.startsWith('(fail) ') || (isError && !of.hasResults)) of.failed += 1;
    of.hasErrors ||= isError;
    of.hasResults ||= of.failed > 0 || /^\((pass|skip|todo)\) /.test(line);
    this.files.set(this.file, of);
  }

  failed(): Output['failedFiles'] {
    // Without a name, a file cannot be repeated.
    return new Map([...this.files].filter(([file, of]) => file !== '' && (of.failed > 0 || of.hasErrors)));
  }
}
