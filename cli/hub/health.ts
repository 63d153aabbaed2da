/**
 * `hub health`: asks a process of the hub on this machine whether it is ready. Sends the operator key, so that the reason
 * comes with the answer, and says which hub it asked.
 */
import { isIP } from 'node:net';
import { findOperatorKey } from '#runtime/settings/load-operator-key.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { whyNoHubHere } from '../hub-here.ts';
import { hubOfCommand } from '../running-hub.ts';
import { whyNoAnswer } from '../client/hub-refusal.ts';
import type { Output } from './output.ts';

const answerTimeoutMs = 5_000;

export interface HealthQuestion {
  /** Ask whether it is alive rather than ready. */
  readonly live: boolean;
  /** The port on HOST: a worker's `--metrics-port`; PORT by default. */
  readonly port: number | undefined;
}

/** @returns whether the process is healthy */
export async function health(output: Output, { live, port }: HealthQuestion): Promise<boolean> {
  const { environment, settingsFile, runningSince } = hubOfCommand();
  const settings = parseSettings(environment);
  const url = `${processUrl(settings, port)}${live ? '/livez' : '/readyz'}`;
  // The folder of another user cannot be read. Then the response has only the status.
  const operatorKey = await findOperatorKey(settings).catch(() => null);
  const said = await ask(url, operatorKey);
  const { baseUrl, dataDir } = settings;
  const database = describeDatabase(settings);
  const none = said.ok ? null : whyNoHubHere({ settings, settingsFile, runningSince });
  const hub = { base_url: baseUrl, data_dir: dataDir, database, settings_file: settingsFile };
  const value = { url, ...said, hub: none === null ? hub : null };
  const described = `The hub at ${baseUrl}, data in ${dataDir}, ${database}, settings from ${settingsFile ?? 'the environment'}.`;
  const lines = [said.message, none ?? described];
  if (said.ok) output.result(value, lines);
  else output.failure(value, lines);
  return said.ok;
}

/** Without a user or password. */
function describeDatabase({ database }: Pick<Settings, 'database'>): string {
  switch (database.kind) {
    case 'sqlite':
      return `sqlite:${database.file}`;
    case 'postgres':
      return database.url.replace(/^([a-z]+:\/\/)[^/?#]*@/, '$1').replace(/\?.*$/, '');
    case 'none':
      return 'none';
  }
}

/** @param port a worker's `--metrics-port`; PORT by default */
export function processUrl(settings: Pick<Settings, 'host' | 'port'>, port?: number): string {
  return `http://${reachable(settings.host)}:${port ?? settings.port}`;
}

/** A process that listens on all addresses is asked over loopback. */
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
    if (response.ok) return { ok: true, message: okOf(await response.text()) };
    return { ok: false, message: `${url} answers ${response.status}: ${messageOf(await response.text())}` };
  } catch (error) {
    return { ok: false, message: `${url} did not respond: ${whyNoAnswer(error)}.` };
  }
}

function okOf(body: string): string {
  const { frozen_since: since, warnings } = fieldsOf(body);
  const frozen =
    typeof since === 'string' ? `ok, but frozen since ${since}: run \`hub unfreeze\` to end that` : 'ok';
  const told = Array.isArray(warnings) ? warnings.map((warning) => `\nwarning: ${String(warning)}`) : [];
  return `${frozen}${told.join('')}`;
}

function messageOf(body: string): string {
  const { message } = fieldsOf(body);
  return typeof message === 'string' ? message : body.slice(0, 200);
}

/** The fields of a response in JSON; none if it is not of a hub. */
export function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
