/** The three programs that have the command `evaluate`, as users get them from a hub. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { createTestAgent, type TestAgent } from './agents.ts';
import { hubBinary } from './hub-binary.ts';
import { startTestHub, type TestHubOptions, type TestResponse } from './hub.ts';
import { startProgram } from './run-program.ts';
import { shareOfRun } from './run-share.ts';
import { shortLived } from './short-lived.ts';
import { standIn, useStarted } from './use-started.ts';

export type DoorName = 'npm' | 'python' | 'hub';
/** `hub` has the code of the npm package, so most tests leave it out. */
export const languages = ['npm', 'python'] as const;

/** A text is split at its spaces. */
export type Words = string | readonly string[];
export type Environment = Readonly<Record<string, string>>;

/** A hub and the programs for the tests of a file. @param files their content, by path in the folder of the programs */
export function useEvaluateDoors(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: TestHubOptions = {},
) {
  const opened = useStarted(
    async () => {
      const [hub, doors] = await Promise.all([
        startTestHub({ ...options, ownBaseUrl: true }),
        openEvaluateDoors(),
      ]);
      for (const [name, content] of Object.entries(files)) await doors.write(name, content);
      return { hub, doors };
    },
    async ({ hub, doors }) => {
      await hub.close();
      await doors.remove();
    },
  );
  const [hub, doors] = [standIn(() => opened.hub), standIn(() => opened.doors)];
  const startAs = (agent: TestAgent, door: DoorName, words: Words, env: Environment = {}) =>
    doors.start(door, words, { HUB_URL: hub.url, HUB_TOKEN: agent.bearerToken, ...env });
  const get = async ({ bearerToken: token }: TestAgent, path: string): Promise<TestResponse['body']> =>
    (await hub.fetch(path, { token })).body;
  return {
    hub,
    doors,
    /** Starts the command as an agent. */
    startAs,
    /** Runs the command to its end, by default as a new agent that has tokens. */
    evaluate: async (
      door: DoorName,
      words: Words,
      { as, env }: { readonly as?: TestAgent; readonly env?: Environment } = {},
    ) => {
      const agent = as ?? (await createTestAgent(hub.ctx, { tokens: 10 }));
      return { agent, ...(await startAs(agent, door, words, env).ended) };
    },
    /** Its runs, the newest first. */
    runsOf: async (agent: TestAgent) => (await get(agent, '/v1/runs')).runs,
    /** Its newest run with the cases; undefined if it has none. */
    lastRunOf: async (agent: TestAgent) => {
      const [newest] = (await get(agent, '/v1/runs')).runs;
      return newest && (await get(agent, `/v1/runs/${newest.id}?include=cases`)).run;
    },
  };
}

async function openEvaluateDoors() {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-evaluate-'));
  const clients = await shareOfRun('clients', join(import.meta.dir, 'children', 'keep-client.ts'));
  const programs: Readonly<Record<DoorName, readonly string[]>> = {
    npm: ['node', join(clients, 'package', 'dist', 'cli.js'), 'evaluate'],
    python: [requireTool('python3'), '-m', 'agent_hub_client', 'evaluate'],
    hub: [hubBinary, 'evaluate'],
  };
  const common = {
    PATH: process.env['PATH'],
    HOME: folder,
    TMPDIR: tmpdir(),
    PYTHONPATH: join(clients, 'client.whl'),
    ...shortLived,
  };
  return {
    /** Scratch space, and the working folder of the commands. */
    folder,
    programs,
    start: (door: DoorName, words: Words, env: Environment = {}) =>
      startProgram([...programs[door], ...(typeof words === 'string' ? words.split(' ') : words)], {
        cwd: folder,
        env: { ...common, ...env },
      }),
    /** Writes a file in the folder. */
    write: async (name: string, content: string | Uint8Array) => {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    },
    read: (name: string) => readFile(join(folder, name), 'utf8'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
