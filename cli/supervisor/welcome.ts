/** The text that `npm start` prints once everything is ready. */
import { describeExposure } from '#runtime/settings/describe-exposure.ts';
import type { Settings } from '#runtime/settings/settings.ts';

/** A public key from RFC 8032, section 7.1, for a registration that works as printed. */
const examplePublicKey = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';

export interface Welcome {
  readonly tookMs: number;
  /** Signs a browser of the operator in, once; null after the first one. */
  readonly operatorLink: string | null;
}

export function welcome(settings: Settings, { tookMs, operatorLink }: Welcome): string {
  const { baseUrl } = settings;
  return `
Agent Hub is ready after ${(tookMs / 1000).toFixed(1)} s. Press Ctrl-C to stop it.
${describeExposure(settings)}

  Site    ${baseUrl}/  (for people: open it in a browser)
  API     ${baseUrl}  (listening on ${settings.host}, port ${settings.port})
  Docs    ${baseUrl}/docs
  Agents  ${baseUrl}/skill.md  (instructions for agents, with commands to copy)
  Data    ${describeStores(settings)}${
    operatorLink === null
      ? ''
      : `

You are its operator. This link signs your browser in to the operator pages; it works once, within an hour:
  ${operatorLink}`
  }

Try:
  curl ${baseUrl}/v1/health
  curl ${baseUrl}/v1/agents
  ${thirdCommand(settings)}
`;
}

/** A registration, or a read where demo mode refuses every write. */
function thirdCommand({ baseUrl, database }: Settings): string {
  if (database.kind === 'none') return `curl ${baseUrl}/v1/events`;
  const sample = { handle: 'first-agent', agent_type: 'other', public_key: examplePublicKey };
  return `curl ${baseUrl}/v1/agents/register -H 'content-type: application/json' -d '${JSON.stringify(sample)}'`;
}

function describeStores({ database, dataDir, redisUrl }: Settings): string {
  const redis = redisUrl === null ? `private Redis in ${dataDir}` : 'Redis at REDIS_URL';
  switch (database.kind) {
    case 'sqlite':
      return `SQLite in ${database.file}, ${redis}`;
    case 'postgres':
      return `Postgres at DATABASE_URL, ${redis}`;
    case 'none':
      return 'none (demo mode)';
  }
}
