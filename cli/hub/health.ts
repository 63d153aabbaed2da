/**
 * `hub health`: asks a process of the hub on this machine whether it can serve, with the operator key of the environment,
 * which a prober of containers from outside does not have.
 */
import { isIP } from 'node:net';
import { parseSettings } from '#runtime/settings/settings.ts';
import { whyNoAnswer } from '../client/why-no-answer.ts';
import type { Output } from './output.ts';

const answerTimeoutMs = 5_000;

export interface HealthQuestion {
  /** Whether it is alive, rather than whether it can serve. */
  readonly live: boolean;
  /** Where it listens on HOST: `--metrics-port` of a worker; PORT when left out. */
  readonly port: number | undefined;
}

/** @returns whether it is well */
export async function health(output: Output, { live, port }: HealthQuestion): Promise<boolean> {
  const { host, port: apiPort, operatorKey } = parseSettings(process.env);
  const url = `http://${reachable(host)}:${port ?? apiPort}${live ? '/livez' : '/readyz'}`;
  const said = await ask(url, operatorKey);
  output.result({ url, ...said }, [said.message]);
  return said.ok;
}

/** Who listens everywhere is asked on the loopback, where it needs no key while none is set. */
function reachable(host: string): string {
  if (isIP(host) !== 6) return host === '0.0.0.0' ? '127.0.0.1' : host;
  return /^[0:]+$/.test(host) ? '[::1]' : `[${host}]`;
}

interface Said {
  readonly ok: boolean;
  readonly message: string;
}

async function ask(url: string, operatorKey: string | null): Promise<Said> {
  try {
    const response = await fetch(url, {
      headers: operatorKey === null ? {} : { authorization: `Bearer ${operatorKey}` },
      signal: AbortSignal.timeout(answerTimeoutMs),
      redirect: 'error',
    });
    if (response.ok) return { ok: true, message: 'ok' };
    return { ok: false, message: `${url} answers ${response.status}: ${messageOf(await response.text())}` };
  } catch (error) {
    return { ok: false, message: `${url} does not answer: ${whyNoAnswer(error)}.` };
  }
}

function messageOf(body: string): string {
  try {
    // Whatever it is, only its message is looked for.
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Not one of the hub's answers.
  }
  return body.slice(0, 200);
}
