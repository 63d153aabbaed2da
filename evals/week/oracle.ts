/**
 * The reference: works through the tools only, and keeps what it was told. It looks facts up in what it has seen, and
 * fails if it needs one that no response contained.
 */
import type { Company } from './company.ts';
import { manners } from './dials.ts';
import { type Cell, idFields, type Lookup, type Row, type TableName, text } from './office.ts';
import type { ToolResult } from './tools/tool.ts';

const retriesMax = 12;
/** Which field of an item of a system is its id. */
const systemIds: Readonly<Record<string, readonly string[]>> = {
  directory: ['person_id', 'party_id'],
  mail: ['mail_id'],
  calendar: ['meeting_id'],
  tickets: ['ticket_id'],
  ledger: ['entry_id'],
};

export interface OracleCall {
  readonly tool: string;
  readonly args: unknown;
  readonly result: ToolResult;
}

export class Oracle implements Lookup {
  readonly company: Company;
  readonly calls: OracleCall[] = [];
  readonly #step: (tool: string, args: unknown) => ToolResult;
  readonly #seen = new Map<string, Row>();
  readonly #booked = new Map<string, Row>();
  #text = '';

  /** @param step makes a call in the office */
  constructor(company: Company, step: (tool: string, args: unknown) => ToolResult) {
    this.company = company;
    this.#step = step;
  }

  /** Makes a call, again if the system was not available. */
  call(tool: string, args: unknown): ToolResult {
    for (let tries = 0; tries < retriesMax; tries += 1) {
      const result = this.once(tool, args);
      if (result['error'] === 'rate_limited')
        this.once('office_wait', { calls: Number(result['retry_after']) });
      else if (result['error'] !== 'unavailable') return result;
    }
    throw new Error(`The oracle gave up on ${tool}.`);
  }

  once(tool: string, args: unknown): ToolResult {
    const result = this.#step(tool, args);
    this.calls.push({ tool, args, result });
    this.#text += `${JSON.stringify(result)}\n`;
    this.#keep(tool, result['items']);
    return result;
  }

  #keep(tool: string, items: unknown): void {
    if (!Array.isArray(items)) return;
    const system = tool.split('_')[0] ?? '';
    const fields = tool === 'ledger_approvals' ? ['approval_id'] : (systemIds[system] ?? []);
    // Items are JSON objects from the tools.
    for (const item of items as Row[]) {
      const id = fields.map((field) => item[field]).find((value) => typeof value === 'string');
      if (typeof id === 'string' && item['error'] === undefined)
        this.#seen.set(id, { ...this.#seen.get(id), ...item });
    }
  }

  get(table: TableName, id: string): Row {
    const row = this.#seen.get(id);
    if (row === undefined) throw new Error(`The oracle has not seen ${id} of ${table}.`);
    return row;
  }

  /** Keeps a fact that a reply gave. */
  learn(id: string, fields: Row): void {
    this.#seen.set(id, { ...this.#seen.get(id), ...fields });
  }

  /** @throws Error unless a response contained this text */
  rely(on: string): void {
    const inner = JSON.stringify(on).slice(1, -1);
    if (!this.#text.includes(inner)) throw new Error(`The oracle relies on what it has not seen: ${on}`);
  }

  /** What this agent has booked on the cases of a goal, from what it sent. */
  booked({ table, caseIds }: { readonly table: TableName; readonly caseIds: readonly string[] }): Row[] {
    return caseIds.flatMap((id) => {
      const fields = this.#booked.get(id);
      return fields === undefined ? [] : [{ ...this.get(table, id), ...fields }];
    });
  }

  /** All items of a list, over its pages. */
  list(tool: string, args: Row): Row[] {
    const items: Row[] = [];
    let cursor: unknown = null;
    do {
      const result = this.call(tool, cursor === null ? args : { ...args, cursor });
      if (!Array.isArray(result['items'])) throw new Error(`${tool} failed: ${JSON.stringify(result)}`);
      items.push(...(result['items'] as Row[]));
      cursor = result['next_cursor'];
    } while (typeof cursor === 'string');
    return items;
  }

  /** Reads full records. @param wanted ids, or rows with them */
  fetch(table: TableName, wanted: readonly (string | Row)[]): void {
    const tools: Readonly<Record<TableName, readonly [string, string]>> = {
      people: ['directory_get', 'ids'],
      parties: ['directory_get', 'ids'],
      mails: ['mail_read', 'mail_ids'],
      meetings: ['calendar_get', 'meeting_ids'],
      tickets: ['tickets_get', 'ticket_ids'],
      entries: ['ledger_get', 'entry_ids'],
      approvals: ['ledger_approvals', 'approval_ids'],
    };
    const [tool, argument] = tools[table];
    const ids = wanted.map((one) => (typeof one === 'string' ? one : text(one, idFields[table])));
    let open = [...new Set(ids)];
    while (open.length > 0) {
      const batch = open.slice(0, manners.batch);
      const { left_out } = this.call(tool, { [argument]: batch });
      const left = Array.isArray(left_out) ? (left_out as string[]) : [];
      open = [...left, ...open.slice(manners.batch)];
    }
  }

  /** Reads everything that the manual says on a policy, and the mails that amend it. */
  study(policyName: string): void {
    const { manual } = this.company;
    const chapter = this.company.chapters.get(policyName);
    if (chapter === undefined) throw new RangeError(`There is no chapter ${policyName}.`);
    const { policy } = chapter.law;
    this.call('manual_contents', {});
    const keys = [...manual.places.keys()].filter((key) => key.startsWith(`${policyName}/`));
    const needed = keys.flatMap((key) => manual.places.get(key)?.page ?? []);
    const general = manual.pages
      .filter(({ chapter: title }) => title.startsWith('1 '))
      .map(({ page }) => page);
    for (const page of new Set([...general, ...needed])) this.call('manual_read', { page });
    for (const key of keys) this.rely(manual.places.get(key)?.text ?? '');
    this.fetch('mails', this.list('mail_search', { words: `amendment ${policy.spec.topic}` }));
    for (const mailId of chapter.memos.values()) this.rely(mailId);
  }

  /** The person who decides for a post, as the directory shows it. */
  deciderOf(post: string): string {
    const items = this.list('directory_search', { words: post });
    const holder = items.find((item) => item['post'] === post);
    if (holder === undefined) throw new Error(`The directory has no ${post}.`);
    const id = text(holder, 'person_id');
    this.fetch('people', [id]);
    const { status, deputy_id } = this.get('people', id);
    return status === 'away' ? String(deputy_id) : id;
  }

  /** Asks for approvals and waits until all are given. By entry, the id of the approval. */
  approve(
    requests: readonly { readonly entryId: string; readonly amount: number; readonly approverId: string }[],
  ): Map<string, string> {
    const given = new Map<string, string>();
    const approvers = [...new Set(requests.map(({ approverId }) => approverId))];
    for (const approver_id of approvers) {
      const own = requests.filter(({ approverId }) => approverId === approver_id);
      for (let at = 0; at < own.length; at += manners.writes) {
        const items = own
          .slice(at, at + manners.writes)
          .map(({ entryId, amount }) => ({ entry_id: entryId, amount }));
        const [first] = items;
        const args = { approver_id, items, key: `${approver_id}/${first?.entry_id}/${first?.amount}` };
        let result = this.call('ledger_approval_request', args);
        for (let tries = 0; result['error'] === 'timeout' && tries < retriesMax; tries += 1)
          result = this.call('ledger_approval_request', args);
        for (const item of result['results'] as Row[])
          given.set(text(item, 'entry_id'), text(item, 'approval_id'));
      }
    }
    const open = [...given.values()];
    for (let tries = 0; tries < retriesMax && open.length > 0; tries += 1) {
      const states: Row[] = [];
      for (let at = 0; at < open.length; at += 20)
        states.push(
          ...((this.call('ledger_approvals', { approval_ids: open.slice(at, at + 20) })['items'] ??
            []) as Row[]),
        );
      if (states.every(({ status }) => status !== 'requested')) break;
      this.call('office_wait', { calls: manners.approvalCalls });
    }
    return given;
  }

  /**
   * Records decisions, again where they failed. Where somebody else has changed a record, it is looked at afresh.
   *
   * @param decide the fields for a record, or null if it must be left alone
   */
  record(
    tool: string,
    table: TableName,
    wanted: readonly string[],
    decide: (id: string) => Row | null,
    refresh: (id: string) => void,
  ): void {
    const id = idFields[table];
    let open = [...wanted];
    const done = new Set<string>();
    for (let tries = 0; tries < retriesMax * 10 && open.length > 0; tries += 1) {
      const batch: Row[] = [];
      const mark = (item: Row) => {
        done.add(text(item, id));
        const { version: _, ...fields } = batch.find((other) => other[id] === item[id]) ?? {};
        this.#booked.set(text(item, id), fields);
      };
      for (const own of open) {
        if (batch.length >= manners.writes) break;
        const fields = decide(own);
        if (fields === null) done.add(own);
        else batch.push({ [id]: own, version: this.get(table, own)['version'] as Cell, ...fields });
      }
      open = open.filter((own) => !done.has(own));
      if (batch.length === 0) break;
      const result = this.call(tool, { items: batch });
      if (result['error'] === 'timeout') {
        const before = batch.map((item) => this.get(table, text(item, id)));
        this.fetch(table, batch);
        for (const [at, item] of batch.entries())
          if (isDone(this.get(table, text(item, id)), item, before[at]?.['status'])) mark(item);
      }
      for (const item of (result['results'] ?? []) as Row[]) {
        if (item['status'] === 'done') mark(item);
        else if (item['error'] === 'version_conflict') refresh(text(item, id));
      }
      open = open.filter((own) => !done.has(own));
    }
    if (open.length > 0) throw new Error(`The oracle could not record ${open.join(', ')}.`);
  }

  /** Sends a mail once, whatever times out. */
  mail(to: string, cc: readonly string[], subject: string, body: string): void {
    const args = { to: [to], cc, subject, body };
    for (let tries = 0; tries < retriesMax; tries += 1) {
      const result = this.call('mail_send', args);
      if (result['error'] !== 'timeout') return;
      const sent = this.call('mail_list', { folder: 'sent' });
      if (((sent['items'] ?? []) as Row[]).some((item) => item['subject'] === subject)) return;
    }
  }
}

/** A record that had the same fields before is done only if its version rose by more than a change of its status. */
function isDone(row: Row, item: Row, status: Cell | undefined): boolean {
  const changes = Number(row['version']) - Number(item['version']) - Number(row['status'] !== status);
  return (
    changes > 0 && Object.entries(item).every(([field, value]) => field === 'version' || row[field] === value)
  );
}
