/** Runs the health check on an agent in this process, as a runner would, and returns what findings see. */
import type { Finding } from '#evals/own-suite/shown-run.ts';
import { findCauses } from '#evals/findings/find-causes.ts';
import type { Observation } from '#evals/findings/observation.ts';
import { findUndone } from '#evals/findings/undo.ts';
import type { HealthCase } from '#evals/health/health-case.ts';
import { type HealthCheck, planHealthCheck } from '#evals/health/health-check.ts';
import { passerOf } from '../own-suite/grader-tables.ts';
import type { Agent, Returned, Said } from './healthy-agent.ts';

export interface Checked {
  readonly observations: readonly Observation[];
  readonly findings: readonly Finding[];
  /** The share of cases that passed. */
  readonly score: number;
}

export async function checkAgent(agent: Agent, check: HealthCheck): Promise<Checked> {
  const observations: Observation[] = [];
  for (;;) {
    const open = planHealthCheck(check, (place) => observations[place]?.passed).slice(observations.length);
    if (open.length === 0) break;
    observations.push(...(await Promise.all(ask(agent, open).map(observe))));
  }
  const passed = observations.filter((one) => one.passed).length;
  return { observations, findings: findCauses(observations), score: passed / observations.length };
}

interface Asked {
  readonly asked: HealthCase;
  readonly returned: Returned;
}

function ask(agent: Agent, open: readonly HealthCase[]): readonly Asked[] {
  const atOnce = open.filter(({ sent }) => sent.atOnce).map(({ turns }) => said(turns[0] ?? ''));
  return open.map((asked) => {
    const messages: Said[] = [];
    let returned: Returned = '';
    for (const turn of asked.turns) {
      messages.push(...said(turn));
      returned = agent({ messages: [...messages], atOnce: asked.sent.atOnce ? atOnce : [messages] });
      if (typeof returned !== 'string') break;
      messages.push({ role: 'assistant', content: returned });
    }
    return { asked, returned };
  });
}

function said(content: string): readonly Said[] {
  return [{ role: 'user', content }];
}

async function observe({ asked, returned }: Asked): Promise<Observation> {
  const { id, part, topic, sent, expect } = asked;
  const passes = passerOf({ expect });
  const reply = typeof returned === 'string' ? returned : null;
  const passed = reply !== null && (await passes(reply));
  return {
    id,
    part,
    topic,
    sent,
    reply,
    error: typeof returned === 'string' ? null : returned,
    passed,
    undone: passed || reply === null ? [] : await findUndone(reply, passes),
  };
}
