/** Forwards what the test runner prints, and keeps what failed tests printed. */

const maxSummaryCharacters = 4000;
/** Of what a failed test has printed, so that the end of a long output still says why. */
const maxLinesPerFailure = 60;

/** @returns the end of the stream, and what each failed test printed, with the line of its result last */
export async function passOn(
  stream: AsyncIterable<Uint8Array>,
  to: { write(chunk: Uint8Array): unknown },
): Promise<{ end: string; failures: readonly string[] }> {
  const decoder = new TextDecoder();
  let end = '';
  let unread = '';
  let ofOneTest: string[] = [];
  /** Results that came before what the test printed, as the runner of several files may write them. */
  const unexplained: string[] = [];
  const failures: string[] = [];
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
      const result = /^\((pass|fail|skip)\)/.exec(Bun.stripANSI(line))?.[1];
      if (result !== undefined) keep(result);
    }
  }
  ofOneTest.push(unread);
  keep('none');
  return { end, failures };
}
