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
  // The program below prints them.
  return (await outputDuring([import.meta.path, url], work)) as readonly number[];
}

/** @returns the JSON that a program prints once its input ends, after the work */
export async function outputDuring(words: readonly string[], work: () => Promise<unknown>): Promise<unknown> {
  const child = Bun.spawn([process.execPath, ...words], { stdin: 'pipe', stdout: 'pipe' });
  const output = new Response(child.stdout).json();
  // It fails below, after the work.
  output.catch(() => undefined);
  try {
    await work();
  } finally {
    void child.stdin.end();
  }
  return output;
}

/**
 * A server that does nothing but respond to `GET /v1/health`. What it takes is what the machine takes, with all that goes
 * on there.
 */
export async function startIdleServer(): Promise<{ readonly url: string; stop(): void }> {
  const child = Bun.spawn([process.execPath, import.meta.path], { stdin: 'pipe', stdout: 'pipe' });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return { url: new TextDecoder().decode(value).trim(), stop: () => child.kill() };
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

function serve(): void {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ status: 'ok' }) });
  console.log(server.url.origin);
}

const [, , given] = process.argv;
if (import.meta.main) await (given === undefined ? serve() : main(given));
