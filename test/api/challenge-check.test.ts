/** The line of shell that guides print for checking a challenge, in every shell of this machine. */
import { expect, test } from 'bun:test';
import { challengeCheck } from '#api/discovery/walkthrough.ts';
import { runProgram } from '#test/harness/run-program.ts';

const shells = ['sh', 'dash', 'bash', 'ksh', 'mksh', 'zsh', 'busybox'].filter(
  (name) => Bun.which(name) !== null,
);

const mine =
  'agent-hub-challenge-v1 purpose=login service=http://127.0.0.1:3000 handle=ada-7 public_key=AbC+/9d0=';
const nonce = 'ab'.repeat(32);
const tail = ` nonce=${nonce} expires_at=2026-01-02T03:04:05.678Z`;
const foreign = mine.replace('127.0.0.1:3000', 'other.example');

const hostile = {
  'another hub': foreign + tail,
  'no prefix': tail,
  'no nonce': mine,
  'the prefix twice': mine + mine + tail,
  'a space at the end': `${mine}${tail} `,
  'a line break at the end': `${mine}${tail}\n`,
  'a carriage return at the end': `${mine}${tail}\r`,
  'a line before': `hello\n${mine}${tail}`,
  'an empty line before': `\n${mine}${tail}`,
  'a line after': `${mine}${tail}\nhello`,
  'a second tail': `${mine}${tail}\n${tail}`,
  'another hub, then the right line': `${foreign}${tail}\n${mine}${tail}`,
  'the right line, then another hub': `${mine}${tail}\n${foreign}${tail}`,
  'another hub, then a tail': `${foreign}\n${tail}`,
  'another hub of the same length': `${'x'.repeat(mine.length - 1)}\n${tail}`,
  'the prefix, then a tail on its own line': `${mine}\n${tail}`,
  'a nonce in upper case': mine + tail.replace(nonce, nonce.toUpperCase()),
  'a short nonce': mine + tail.replace(nonce, nonce.slice(1)),
  'a long expiry': `${mine}${tail}0`,
  'a pattern of the shell': `*${tail}`,
  nothing: '',
};

async function accepts(shell: string, challenge: string): Promise<boolean> {
  const words = shell === 'busybox' ? ['busybox', 'sh'] : [shell];
  const { printed, complaints } = await runProgram([...words, '-c', `${challengeCheck} && echo signed`], {
    env: { PATH: process.env['PATH'], CHALLENGE: challenge, MINE: mine },
  });
  expect(complaints).toBe('');
  return printed === 'signed\n';
}

test.each(shells)(
  'the check in %s accepts the challenge for this hub, request, handle and key',
  async (shell) => {
    expect(await accepts(shell, mine + tail)).toBe(true);
  },
);

test.each(shells)(
  'the check in %s accepts one line or nothing, with its prefix or not at all',
  async (shell) => {
    const accepted: string[] = [];
    for (const [name, challenge] of Object.entries(hostile)) {
      if (await accepts(shell, challenge)) accepted.push(name);
    }
    expect(accepted).toEqual([]);
  },
);
