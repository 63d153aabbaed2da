/** Redemptions, and the ends of the runs they pay for. */
import { type HubModel, hourMs, type ModelRun } from '../hub-model.ts';
import { type Prediction, refusal, Step, StepAbout } from '../step.ts';
import type { Asked, TwoHubs } from '../two-hubs.ts';

const openRunsMax = 5;
const refundedRunsMax = 10;
const refundedWindowMs = 24 * hourMs;

export class Redeem extends Step {
  override asks(): Omit<Asked, 'agent'> {
    const json = { product: 'eval-run', target_url: 'http://127.0.0.1:9/answer' };
    return { method: 'POST', path: '/v1/redemptions', json };
  }
  override predict(model: HubModel): Prediction {
    model.ledger.settle(this.agent);
    const own = model.runs.filter(({ agent }) => agent === this.agent);
    if (own.filter(({ state }) => state === 'held').length >= openRunsMax)
      return refusal(429, 'too_many_open_jobs');
    const refunded = own.filter(({ refundedAtMs }) => refundedAtMs > model.nowMs - refundedWindowMs);
    if (refunded.length >= refundedRunsMax) return refusal(429, 'too_many_failed_runs');
    const name = `run ${model.runs.length}`;
    const account = model.ledger.account(this.agent);
    const isFree = account.freeRunHolder === null;
    if (isFree) account.freeRunHolder = name;
    else if (!model.ledger.spend(this.agent, 1, name)) return refusal(402, 'insufficient_tokens');
    const spend = isFree ? null : (model.ledger.spends.at(-1) ?? null);
    model.runs.push({ name, agent: this.agent, spend, state: 'held', refundedAtMs: -Infinity });
    return {
      status: 200,
      shows: {
        redemption: { cost: isFree ? 0 : 1, free: isFree },
        eval_job: { status: 'queued' },
        balance: model.ledger.balance(this.agent),
      },
      named: { name, of: (body) => body.eval_job.id },
    };
  }
}

/** A runner ends an open run, and its agent reads it. */
export class EndRun extends StepAbout<ModelRun, { end: 'completed' | 'failed' }> {
  protected override things({ runs }: Readonly<HubModel>): readonly ModelRun[] {
    return runs.filter(({ state }) => state === 'held');
  }
  override async run(model: HubModel, hubs: TwoHubs): Promise<void> {
    const { name, agent } = this.thing(model);
    this.agent = agent;
    await hubs.endRun(name, this.given.end);
    await super.run(model, hubs);
  }
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    // Without the cases, which each hub draws itself.
    return { method: 'GET', path: `/v1/eval-jobs/<${this.thing(model).name}>?include=scorecard` };
  }
  override predict(model: HubModel): Prediction {
    const run = this.thing(model);
    const { end } = this.given;
    run.state = end === 'completed' ? 'consumed' : 'refunded';
    if (end === 'failed') {
      model.ledger.settle(run.agent);
      run.refundedAtMs = model.nowMs;
      if (run.spend === null) model.ledger.account(run.agent).freeRunHolder = null;
      else model.ledger.refund(run.spend, true);
    }
    const charge = { tokens: run.spend === null ? 0 : 1, free: run.spend === null, state: run.state };
    return { status: 200, shows: { eval_job: { status: end, charge } } };
  }
}
