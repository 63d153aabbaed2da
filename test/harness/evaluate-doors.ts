/** The three programs that have the command `evaluate`, as users get them from a hub. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import type { TestAgent } from './agents.ts';
import { hubBinary } from './hub-binary.ts';
import { startTestHub, type TestHubOptions, type TestResponse } from './hub.ts';
import { startProgram } from './run-program.ts';
import { shareOfRun } from './run-share.ts';
import { shortLived } from './short-lived.ts';
import { standIn, useStarted } from './use-started.ts';

export const doorNames = ['npm', 'python', 'hub'] as const;
export type DoorName = (typeof doorNames)[number];

type Words = string | readonly string[];

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
      for (const [name, content] of Object.entries(files)) {
        const path = join(doors.folder, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
      }
      return { hub, doors };
    },
    async ({ hub, doors }) => {
      await hub.close();
      await doors.remove();
    },
  );
  const [hub, doors] = [standIn(() => opened.hub), standIn(() => opened.doors)];
  const read = async ({ bearerToken: token }: TestAgent, path: string): Promise<TestResponse['body']> =>
    (await hub.fetch(path, { token })).body;
  return {
    hub,
    doors,
    /** Starts the command as an agent. */
    startAs: (agent: TestAgent, door: DoorName, words: Words, env: Readonly<Record<string, string>> = {}) =>
      doors.start(door, words, { HUB_URL: hub.url, HUB_TOKEN: agent.bearerToken, ...env }),
    /** Its runs, the newest first. */
    runsOf: async (agent: TestAgent) => (await read(agent, '/v1/runs')).runs,
    /** Its newest run with the cases; undefined if it has none. */
    lastRunOf: async (agent: TestAgent) => {
      const [newest] = (await read(agent, '/v1/runs')).runs;
      return newest && (await read(agent, `/v1/runs/${newest.id}?include=cases`)).run;
    },
  };
}

async function openEvaluateDoors() {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-evaluate-'));
  const clients = await shareOfRun('clients', join(import.meta.dir, 'children', 'keep-client.ts'));
  const wheel = join(clients, 'client.whl');
  const programs: Readonly<Record<DoorName, readonly string[]>> = {
    npm: ['node', join(clients, 'package', 'dist', 'cli.js'), 'evaluate'],
    python: [requireTool('python3'), '-m', 'agent_hub_client', 'evaluate'],
    hub: [hubBinary, 'evaluate'],
  };
  return {
    /** Scratch space, and the working folder of the commands. */
    folder,
    programs,
    /** @param words flags and values; a text is split at its spaces */
    start: (door: DoorName, words: Words, env: Readonly<Record<string, string>> = {}) => {
      const own = { PATH: process.env['PATH'], HOME: folder, TMPDIR: tmpdir(), PYTHONPATH: wheel };
      return startProgram([...programs[door], ...(typeof words === 'string' ? words.split(' ') : words)], {
        cwd: folder,
        env: { ...own, ...shortLived, ...env },
      });
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
