/** Runs a whole hub for the demo, as `npm start` does, with its own folder and port. */
import { join } from 'node:path';
import { programWords } from '../supervisor/program-words.ts';
import { settlePort } from '../supervisor/settle-defaults.ts';

export interface DemoHub {
  readonly url: string;
  stop(): Promise<void>;
}

const readyTimeoutMs = 60_000;
const askEveryMs = 50;
const stopTimeoutMs = 60_000;
/** Settings of the operator's own hub must not affect this one. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TERM'] as const;

/** @param maintainerDid the agent that may grant tokens on this hub */
export async function startDemoHub(folder: string, maintainerDid: string): Promise<DemoHub> {
  const port = await settlePort('127.0.0.1', 0);
  const url = `http://127.0.0.1:${port}`;
  const env: Record<string, string> = {
    PORT: String(port),
    DATA_DIR: folder,
    MAINTAINER_DIDS: maintainerDid,
    // A private hub charges nothing by default, and the demo shows what a run costs.
    EVAL_RUN_COST: '1',
  };
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  const logFile = Bun.file(join(folder, 'hub.log'));
  const hub = Bun.spawn([process.execPath, ...programWords('start')], {
    env,
    stdout: logFile,
    stderr: 'inherit',
    // Ctrl-C signals the whole terminal group; the demo stops the hub itself, in order.
    detached: true,
  });
  process.once('SIGINT', () => hub.kill('SIGTERM'));
  process.once('SIGTERM', () => hub.kill('SIGTERM'));
  const stop = async (): Promise<void> => {
    hub.kill('SIGTERM');
    await Promise.race([hub.exited, Bun.sleep(stopTimeoutMs)]);
  };
  const giveUpAt = performance.now() + readyTimeoutMs;
  while (!(await answers(url))) {
    if (hub.exitCode !== null || hub.signalCode !== null || performance.now() > giveUpAt) {
      await stop();
      throw new Error(`The hub did not start. Its output:\n${await logFile.text()}`);
    }
    await Bun.sleep(askEveryMs);
  }
  return { url, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/v1/health`)).ok;
  } catch {
    return false; // Not listening yet.
  }
}
