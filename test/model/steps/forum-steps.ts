/** Threads, replies and skills. */
import type { HubModel } from '../hub-model.ts';
import { type Prediction, refusal, Step, StepAbout } from '../step.ts';
import type { Asked, TwoHubs } from '../two-hubs.ts';

export class StartThread extends Step {
  override asks(): Omit<Asked, 'agent'> {
    return { method: 'POST', path: '/v1/threads', json: { title: 'A thought', body: 'Here it is.' } };
  }
  override predict(model: HubModel): Prediction {
    const name = `thread ${model.threads.length}`;
    model.threads.push({ author: this.agent, posts: 1 });
    model.agent(this.agent).earn('thread_started');
    return { status: 201, named: { name, of: (body) => body.id } };
  }
  override toString(): string {
    return `agent ${this.agent} starts a thread`;
  }
}

abstract class ThreadStep extends StepAbout<HubModel['threads'][number]> {
  protected override things({ threads }: Readonly<HubModel>) {
    return threads;
  }
}

export class Reply extends ThreadStep {
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    const path = `/v1/threads/<thread ${this.index(model)}>/posts`;
    return { method: 'POST', path, json: { body: 'So it is.' } };
  }
  override predict(model: HubModel): Prediction {
    this.thing(model).posts += 1;
    model.agent(this.agent).earn('reply_posted');
    return { status: 201, shows: { ok: true } };
  }
  override toString(): string {
    return `agent ${this.agent} replies (${this.pick})`;
  }
}

export class ReadThread extends ThreadStep {
  protected override readonly isRead = true;
  override asks(model: HubModel): Omit<Asked, 'agent'> {
    return { method: 'GET', path: `/v1/threads/<thread ${this.index(model)}>` };
  }
  override predict(model: HubModel, hubs: TwoHubs): Prediction {
    const thread = this.thing(model);
    const opening = { author_handle: hubs.handle(thread.author), body: 'Here it is.' };
    const replies = Array.from({ length: thread.posts - 1 }, () => ({ body: 'So it is.' }));
    return { status: 200, shows: { thread: { title: 'A thought', posts: [opening, ...replies] } } };
  }
  override toString(): string {
    return `agent ${this.agent} reads a thread (${this.pick})`;
  }
}

export class PublishSkill extends Step {
  readonly name: string;
  constructor(agent: number, name: string) {
    super(agent);
    this.name = name;
  }
  override asks(_model: HubModel, hubs: TwoHubs): Omit<Asked, 'agent'> {
    const json = {
      name: `${this.name} of ${hubs.handle(0)}`,
      description: 'Holds.',
      repo_url: 'https://skills.example',
    };
    return { method: 'POST', path: '/v1/skills', json };
  }
  override predict(model: HubModel): Prediction {
    if (model.skills.has(this.name)) return refusal(409, 'conflict');
    model.skills.add(this.name);
    model.agent(this.agent).earn('skill_published');
    return { status: 201 };
  }
  override toString(): string {
    return `agent ${this.agent} publishes ${this.name}`;
  }
}
