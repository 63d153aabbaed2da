/**
 * Asks a hub for its health again and again, in a process of its own: in the process that attacks, it would also wait for
 * the work of the attackers. Run as a program, it prints the times when its input ends.
 */
const pauseMs = 3;

/**
 * @param work what goes on meanwhile
 * @returns the duration of each `GET /v1/health`, in milliseconds
 */
export async function timeHealthDuring(
  url: string,
  work: () => Promise<unknown>,
): Promise<readonly number[]> {
  const child = Bun.spawn([process.execPath, import.meta.path, url], { stdin: 'pipe', stdout: 'pipe' });
  const times = new Response(child.stdout).json();
  try {
    await work();
  } finally {
    void child.stdin.end();
  }
  // The program below prints them.
  return (await times) as readonly number[];
}

async function main(url: string): Promise<void> {
  const times: number[] = [];
  const over = new AbortController();
  void Bun.stdin.text().then(() => over.abort());
  while (!over.signal.aborted) {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/v1/health`);
    await answer.text();
    if (answer.status !== 200) throw new Error(`/v1/health responded with ${answer.status}.`);
    times.push(performance.now() - startedAt);
    await Bun.sleep(pauseMs);
  }
  console.log(JSON.stringify(times));
}

if (import.meta.main) await main(process.argv[2] ?? '');
