/** Carries out the answers of `hub setup`: the secrets, the first maintainer with the badge, and `hub.env`. */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsFileName } from '#cli/find-settings.ts';
import { parseSettingsFile } from '#cli/settings-file.ts';
import { didOf, pemOf } from '#cli/client/agent-key.ts';
import { settleDataDir } from '#cli/supervisor/settle-defaults.ts';
import { signChallenge } from '#client/challenge.ts';
import { type AgentKey, createKey } from '#client/keys.ts';
import { openDatabase } from '#db/open-database.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { changeMaintainer } from '#domain/settings/change-setting.ts';
import { giveBadgeUnasked } from '#domain/verification/request-verification.ts';
import { systemClock } from '#runtime/clock.ts';
import { loadOperatorKey } from '#runtime/settings/load-operator-key.ts';
import { loadSecretKey } from '#runtime/settings/load-secret-key.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { type Answers, settingsOf } from './questions.ts';

const ownerOnly = 0o600;
const inboxKeyBytes = 32;

export interface FinishedSetup {
  readonly settings: Settings;
  readonly settingsFile: string;
  readonly keyFile: string;
  readonly handle: string;
  /** Of the maintainer, shown once. */
  readonly token: string;
}

/** @throws HubRefusal if the folder has a hub.env already */
export function refuseSecondSetup(dataDir: string): void {
  const file = join(dataDir, settingsFileName);
  if (existsSync(file)) {
    throw new HubRefusal(
      `${file} exists, so this hub is set up. Edit the file and restart the hub, or check it with \`hub setup --check --data ${dataDir}\`.`,
    );
  }
}

/** Writes `hub.env` last: until then, another attempt may use the same folder and another handle. */
export async function setUpHub(answers: Answers): Promise<FinishedSetup> {
  const { data = '', maintainer: handle = '' } = answers;
  refuseSecondSetup(data);
  const key = await createKey();
  const inboxKey = randomBytes(inboxKeyBytes).toString('base64url');
  const values = settingsOf(answers, inboxKey);
  const text = formatSettings(values);
  const settings = parseSettings(values);
  const { database } = settings;
  if (database.kind === 'none') throw new StartError('A hub that is set up has a database.');
  const keyFile = join(data, `${handle}.pem`);
  await settleDataDir(data);
  writeNew(keyFile, pemOf(key));
  try {
    await loadSecretKey(settings);
    await loadOperatorKey(settings);
    const db = await openDatabase(database);
    try {
      const publisher = { publish: () => undefined, signal: () => undefined };
      const ctx: Ctx = { db, clock: systemClock, rules: hubRulesOf(settings), publisher };
      const token = await signUp(ctx, handle, key);
      const settingsFile = join(data, settingsFileName);
      writeNew(settingsFile, text);
      return { settings, settingsFile, keyFile, handle, token };
    } finally {
      await db.close();
    }
  } catch (error) {
    unlinkSync(keyFile);
    throw error;
  }
}

async function signUp(ctx: Ctx, handle: string, key: AgentKey): Promise<string> {
  const { publicKey } = key;
  const profile = { agentType: 'other', publicKey, bio: '', site: null } as const;
  const { challenge } = await registerAgent(ctx, { handle, ...profile });
  const expected = { purpose: 'register', service: ctx.rules.baseUrl, handle, publicKey } as const;
  const signature = await signChallenge(key, challenge, expected);
  return withTransaction(ctx, async (inner) => {
    const { agent, token } = await verifyChallenge(inner, { handle, signature });
    await giveBadgeUnasked(inner, agent.id);
    await changeMaintainer(inner, { did: didOf(key), isMaintainer: true });
    return token;
  });
}

/** The file is complete or absent, and never replaces another one. */
function writeNew(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: ownerOnly, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new HubRefusal(`${file} already exists and was not changed. Move it away, or answer differently.`);
  } finally {
    unlinkSync(draft);
  }
}

const about = `# The settings of this hub, made by \`hub setup\`. docs/settings.md explains each of them and more.
# Restart the hub after a change. \`hub settings\` changes prices and badge rules without one.
`;

/** Lines that a shell, systemd and the hub read alike. @throws StartError for a value that cannot be written so */
export function formatSettings(values: Readonly<Record<string, string>>): string {
  const text = Object.entries(values).map(([name, value]) => `${name}=${quoted(value)}\n`);
  const whole = `${about}${text.join('')}`;
  const read = parseSettingsFile(whole);
  const wrong = Object.keys(values).find(
    (name) => read[name] !== values[name] || values[name]?.includes('\n'),
  );
  if (wrong === undefined) return whole;
  throw new StartError(
    `The value of ${wrong} has quotes or newlines. In a URL, write them percent-encoded.`,
    {
      isSetting: true,
    },
  );
}

function quoted(value: string): string {
  return /^[\w./:@,+=-]*$/.test(value) ? value : `'${value}'`;
}
