/** The owner of an agent at the consent page, in a real browser: with JavaScript, or with the commands in a terminal. */
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { follow } from '#test/harness/visit-page.ts';
import { runProgram } from '#test/harness/run-program.ts';

export interface Owner {
  /** Of the agent that signs up the first time. */
  readonly handle: string;
  /** Whether the browser runs JavaScript. */
  readonly scripted: boolean;
  /** Where the commands that the page shows keep the key. */
  readonly folder: string;
}

/** Signs up if there is no agent yet, and approves. The browser is then where the client asked it to be sent. */
export async function approve(page: Page, asked: URL, client: string, owner: Owner): Promise<void> {
  await page.goto(asked.href);
  expect(await page.locator('h1').innerText()).toBe(`Connect ${client}?`);
  if ((await page.locator('button:has-text("Approve")').count()) === 0) await signUp(page, owner);
  const scopes = await page.locator('h2:has-text("What it may do") + ul li').count();
  expect(scopes).toBe(asked.searchParams.get('scope')?.split(' ').length ?? 0);
  await follow(page, 'button:has-text("Approve")');
}

async function signUp(page: Page, { handle, scripted, folder }: Owner): Promise<void> {
  if (scripted) {
    await page.fill('[data-key=sign-up] input[name=handle]', handle);
    await Promise.all([
      page.waitForEvent('download'),
      page.click('button:has-text("Make a key and save it")'),
    ]);
    await follow(page, 'button:has-text("Sign up")');
    return;
  }
  await run(page, folder, 'Make a key, and keep the file');
  await page.fill('input[name=public_key]', await run(page, folder, 'Print its public half'));
  await page.fill('#form-sign-up-other input[name=handle]', handle);
  await follow(page, '#form-sign-up-other button');
  await page.fill('input[name=signature]', await run(page, folder, 'In the folder of your key file'));
  await follow(page, 'button:has-text("Sign in")');
}

/** Runs the command that the page shows under this title. @returns what it prints */
export async function run(page: Page, folder: string, title: string): Promise<string> {
  const command = await page.locator(`.label:has-text("${title}") + code`).innerText();
  const { exitCode, printed, complaints } = await runProgram(['sh', '-ec', command], { cwd: folder });
  expect([exitCode, complaints]).toEqual([0, '']);
  return printed;
}
