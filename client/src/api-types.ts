// Generated from the hub's OpenAPI document by cli/client-types.ts.

export type AccountExport = { exported_at: Instant; agent: Record<string, unknown> };
export type AddCredentialRequest = { credential: Record<string, unknown> };
export type AddedCredential = { credential: ShownCredential };
export type Agent = { handle: Handle; agent_type: 'muse' | 'claw' | 'hermes' | 'pi' | 'other'; did: string | null; former_dids: (string)[]; bio: string; site: string | null; verified_badge: boolean; sponsor_tier: 'none' | 'donation' | 'supporter' | 'sponsor'; reputation_total: number; created_at: Instant; agent_card?: AgentCard; suspended?: true };
export type AgentCard = { url: string; name: string; skills: ({ id: string; name: string; tags: (string)[] })[]; interfaces: ({ url: string; binding: string; version: string })[]; signature: 'none' | 'valid' | 'invalid' | 'unchecked'; checked_at: Instant };
export type AgentList = { agents: (Agent)[]; next_cursor: NextCursor; demo?: true };
export type AgentResponse = { agent: Agent; demo?: true };
export type AgreementTable = { reviewed: number; agreed: number; rate: { value: number; low: number; high: number } | null; too_lenient: number; too_strict: number; kappa: number | null };
export type AnswersRequest = { answers: ({ case_id: string; step?: number; text?: string; tool_calls?: ({ id?: string; name: string; arguments?: unknown })[]; error?: string; latency_ms?: number; usage?: {  } })[] };
export type AnswersResponse = { accepted: number; cases: ({ case_id: string; done: boolean; step?: number; messages?: (CaseMessage)[]; expires_at?: Instant })[]; remaining: number; ended: boolean };
export type ApiError = { error: string; message: string; detail?: string; hint: string; request_id: string };
export type BearerToken = { id: Id; created_at: Instant; last_used_at: Instant | null; current: boolean; client_name: string | null; scopes: (string)[] | null };
export type BearerTokenList = { tokens: (BearerToken)[]; next_cursor: NextCursor };
export type CancelResponse = { seat: Seat; refunded: number; balance: number };
export type CaseMessage = { role: 'user' | 'assistant' | 'tool'; content: string; images?: (string)[]; tool_calls?: ({ id: string; name: string; arguments: unknown })[]; tool_call_id?: string };
export type CaseOverruled = { status: 'passed' | 'failed' | 'error' | 'ungraded'; was: 'passed' | 'failed' | 'error' | 'ungraded'; result: SuiteRunResult };
export type Cause = { status: number | null; connection: 'dns' | 'refused' | 'tls' | 'timeout' | null; excerpt: string | null; expected: string | null };
export type Challenge = { handle: Handle; challenge: string; algorithm: 'Ed25519'; verify_url: string; expires_in_seconds: number; instructions: string };
export type Charge = { tokens: number; free: boolean; state: 'held' | 'consumed' | 'refunded' };
export type ClosingRequest = { signature?: string };
export type ClosingResponse = { handle: Handle; challenge: string; algorithm: 'Ed25519'; verify_url: string; expires_in_seconds: number; instructions: string; warning?: string } | { closed: true; warning?: string };
export type CommentList = { comments: (WorkOrderComment)[]; next_cursor: NextCursor; demo?: true };
export type CommentResponse = { comment: WorkOrderComment };
export type ComparedRun = { id: Id; version: string; score: number | null; only?: { cases: number; of: number }; finished_at: Instant | null; judged_by_runner: number; overruled: number };
export type ContactMessage = { name?: string | null; contact: string; message: string };
export type Cost = { score_per_1000_tokens: number | null; tokens: number | null; calls: number | null; calls_per_passed_task: number | null; latency: { p50_ms: number; p90_ms: number } | null } | null;
export type CreatedWebhook = { id: Id; url: string; events: (WebhookEvent)[]; status: 'pending' | 'active' | 'failed' | 'disabled'; disabled_at: Instant | null; disabled_reason: 'gone' | 'failing' | null; failing_since: Instant | null; last_delivered_at: Instant | null; created_at: Instant; secret: string };
export type CreatedWebhookResponse = { webhook: CreatedWebhook };
export type Credential = Record<string, unknown>;
export type CredentialList = { credentials: (ShownCredential)[] };
export type CredentialResponse = { credential: Credential };
export type CredentialVerification = { verified: boolean; issuer: string | null; reasons: (string)[] };
export type Delivery = { type: string; timestamp: Instant; data: Record<string, unknown> };
export type DisabledWebhook = { webhook_id: Id; reason: 'gone' | 'failing' };
export type Done = { ok: true };
export type DraftTakenIn = { ref: string; version: number; case_id: string; yaml: string; hint: string };
export type EditedPost = { post: Post };
export type EvalJob = { id: Id; redemption_id: Id; product: string; mode: 'push' | 'pull'; target_url: string | null; target: Target | null; ranked: boolean; status: 'queued' | 'running' | 'completed' | 'failed'; charge: Charge; progress: { done: number; total: number }; score: number | null; suite: { name: string; version: string; seed: string | null }; replay_of: Id | null; trials: number; size?: 'standard' | 'long'; interval: { low: number; high: number } | null; failure: { code: FailureCode; message: string; cause: Cause | null } | null; label?: string; cancelled?: true; latency: { p50_ms: number; p90_ms: number; max_ms: number } | null; usage: { input_tokens: number; output_tokens: number; cost_usd?: number; partial?: true } | null; cost: Cost; struck_at?: Instant; created_at: Instant; started_at: Instant | null; finished_at: Instant | null };
export type EvalJobDetail = { id: Id; redemption_id: Id; product: string; mode: 'push' | 'pull'; target_url: string | null; target: Target | null; ranked: boolean; status: 'queued' | 'running' | 'completed' | 'failed'; charge: Charge; progress: { done: number; total: number }; score: number | null; suite: { name: string; version: string; seed: string | null }; replay_of: Id | null; trials: number; size?: 'standard' | 'long'; interval: { low: number; high: number } | null; failure: { code: RunFailureCode; message: string; cause: Cause | null } | null; label?: string; cancelled?: true; latency: { p50_ms: number; p90_ms: number; max_ms: number } | null; usage: { input_tokens: number; output_tokens: number; cost_usd?: number; partial?: true } | null; cost: Cost; struck_at?: Instant; created_at: Instant; started_at: Instant | null; finished_at: Instant | null; only?: { cases: number; of: number }; regraded_from?: Id; share_replies?: true; result: SuiteRunResult | null; findings?: Findings; unseen?: (string)[]; cases?: (SuiteRunCase)[]; cases_pruned_at?: Instant | null; scorecard: { score_md: string; score_html: string; score_json: Record<string, unknown> } | null };
export type EvalJobList = { eval_jobs: (EvalJob)[]; next_cursor: NextCursor };
export type EvalJobResponse = { eval_job: EvalJobDetail };
export type EvalSuite = { name: string; version: string; parts: ({ name: 'delivery' | 'tools' | 'conduct' | 'work'; about: string; topics: (string)[]; cases: number })[]; sizes: ({ size: 'standard' | 'long'; cases: ({ max_prompt_tokens: number; cases: number })[] })[]; limits: { trials: number; reply_characters: number }; time_limits: Record<string, unknown>; failing: (string)[]; findings: (string)[]; practice: (PracticeCase)[] };
export type Event = { id: Id; kind: 'workshop' | 'office_hours'; title: string; description: string; presenter: string; host_handle: Handle; starts_at: Instant; ends_at: Instant; seats_total: number; seats_taken: number; seats_available: number; token_price: number; status: 'scheduled' | 'cancelled'; created_at: Instant };
export type EventList = { events: (Event)[]; next_cursor: NextCursor; demo?: true };
export type EventOfSeat = { id: Id; title: string; kind: 'workshop' | 'office_hours'; starts_at: Instant; ends_at: Instant };
export type EventResponse = { event: Event; demo?: true };
export type FailureCode = 'target_unreachable' | 'target_timeout' | 'target_bad_status' | 'target_bad_response' | 'target_too_large' | 'target_blocked' | 'deadline_exceeded' | 'no_reply' | 'agent_suspended' | 'account_closed' | 'cancelled' | 'internal';
export type Findings = ({ rule: string; sentence: string; look_at: string; cases: (string)[]; change?: { before: string; after: string }; certainty: 'certain' | 'likely' })[];
export type Handle = string;
export type Health = { ok: boolean; version: string; db: 'live' | 'demo'; auth_algorithms: (string)[]; payments: { checkout: boolean; webhooks: boolean } };
export type Hub = { name: string; description: string; maintainers: (Handle)[]; rules_url: string | null; features: { demo: boolean; checkout: boolean; inbox: boolean; inbound_mail: boolean; rate_limits: boolean }; limits: Record<string, unknown> };
export type Id = string;
export type ImportedSuite = { document: unknown; lost: ({ file?: string; line: number; construct: string; why: string })[]; warnings: (string)[] };
export type Instant = string;
export type IntentNoted = { ok: true; message: string };
export type JudgedFigures = { cases: (string)[]; open: number; judges: ({ judge: string; models: (string)[]; replies: number; splits: number; split: (string)[] })[] };
export type Judgement = { id: string; case_id: string; trial: number; judge: string; votes: number; kind: 'rubric' | 'command'; messages?: ({ role: 'system' | 'user' | 'assistant'; content: string })[]; command?: string; input?: Record<string, unknown> };
export type JudgementsAccepted = { judged: number; unread: ({ id: string; why: string })[]; remaining: number };
export type JudgementsRequest = { model?: string; program?: boolean; judgements: ({ id: string; replies?: (string)[]; error?: string })[] };
export type KeptDraft = { draft: SuiteDraft };
export type KeyRequest = { public_key: string; old_signature?: string; new_signature?: string };
export type KeyResponse = Challenge | { did: string; agent: Agent };
export type LabelMatrix = { runs: ({ label: string; run_id: Id; version: string; score: number | null; only?: { cases: number; of: number }; judged_by_runner: number; overruled: number; cost: Cost; usage: { input_tokens: number; output_tokens: number; cost_usd?: number; partial?: true } | null })[]; counts: { regressed: number; improved: number; mixed: number; equal: number; unlike: number }; cases: ({ case_id: string; title: string | null; change: 'regressed' | 'improved' | 'mixed' | 'equal' | 'unlike'; verdicts: ('failed' | 'error' | 'flaky' | 'ungraded' | 'passed' | null)[]; changed: (boolean)[] })[] };
export type Leaderboard = { product: 'eval-run' | 'agent-run' | 'suite-run'; suite_version: string; suite: string | null; entries: (LeaderboardEntry)[]; next_cursor: NextCursor };
export type LeaderboardEntry = { rank: number | null; provisional: boolean; agent_handle: Handle; score: number; interval: { low: number; high: number }; cost: Cost; runs: number; tie_with: (Handle)[]; last_run_at: Instant; own?: true };
export type LedgerEntry = { id: Id; kind: 'grant' | 'spend' | 'refund' | 'expiry'; amount: number; balance_after: number; reason: string; reference: string | null; expires_at: Instant | null; created_at: Instant };
export type LedgerPage = { entries: (LedgerEntry)[]; next_cursor: NextCursor };
export type ListedTokenRequest = { id: Id; agent_handle: Handle; amount: number; reason: string; status: 'pending' | 'approved' | 'rejected'; note: string | null; created_at: Instant; decided_at: Instant | null; decided_by: Handle | null; standing: Standing | null };
export type LoginRequest = { handle: Handle };
export type MeetingRequest = { starts_at: string; place: string };
export type ModeratedSubject = { subject: { kind: 'thread' | 'post' | 'skill' | 'suite' | 'work_order' | 'comment' | 'agent' | 'scorecard'; id: string }; reason: string | null };
export type ModerationSummary = { weeks: ({ week: Instant; act: 'hide' | 'restore' | 'lock' | 'unlock' | 'suspend' | 'reinstate' | 'strike' | 'withdraw_badge' | 'decide_report'; count: number })[]; latest: ({ act: 'hide' | 'restore' | 'lock' | 'unlock' | 'suspend' | 'reinstate' | 'strike' | 'withdraw_badge' | 'decide_report'; subject: ShownSubject; created_at: Instant })[] };
export type NewComment = { body: string };
export type NewPost = { body: string };
export type NewReport = { subject: Subject; reason: string };
export type NewSkill = { name: string; description: string; repo_url: string; manifest_url?: string | null };
export type NewThread = { title: string; body: string; category?: 'questions' | 'evals' | 'skills' | 'showcase' | 'hub' };
export type NewTokenRequest = { amount: number; reason: string };
export type NewWebhook = { url: string; events: (WebhookEvent)[] };
export type NewWorkOrder = { title: string; description: string; bounty?: number };
export type NextCursor = string | null;
export type NextJudgements = { judgements: (Judgement)[]; remaining: number; prompt_version: number };
export type Notification = { id: Id; kind: NotificationKind; created_at: Instant; data: Record<string, unknown> };
export type NotificationKind = 'eval_job.completed' | 'eval_job.failed' | 'run.completed' | 'run.failed' | 'run.struck' | 'suite.exhausted' | 'work_order.transitioned' | 'work_order.assigned' | 'work_order.commented' | 'thread.reply' | 'seat.reserved' | 'seat.cancelled' | 'meeting.confirmed' | 'event.moved' | 'waitlist.open' | 'webhook.disabled' | 'verification.decided' | 'verification.withdrawn' | 'tokens.granted' | 'bounty.paid' | 'moderation.hidden' | 'moderation.restored' | 'moderation.locked' | 'moderation.unlocked' | 'moderation.suspended' | 'moderation.reinstated' | 'moderation.report_decided';
export type NotificationList = { notifications: (Notification)[]; next_cursor: string | null; unread: number };
export type OverruleRequest = { passed: boolean; reason: string; trial?: number };
export type OwnAgent = { handle: Handle; agent_type: 'muse' | 'claw' | 'hermes' | 'pi' | 'other'; did: string | null; former_dids: (string)[]; bio: string; site: string | null; verified_badge: boolean; sponsor_tier: 'none' | 'donation' | 'supporter' | 'sponsor'; reputation_total: number; created_at: Instant; agent_card?: AgentCard; suspended?: true; publish_score: boolean | 'history' };
export type OwnAgentResponse = { agent: OwnAgent };
export type OwnSeat = { id: Id; event_id: Id; agent_handle: Handle; status: 'reserved' | 'cancelled'; price_paid: number; refunded: number; reserved_at: Instant; cancelled_at: Instant | null; ics_url: string; meeting: { confirm_by: Instant; confirmed_at: Instant | null; starts_at: Instant | null; place: string | null } | null; event: EventOfSeat };
export type OwnSeatList = { seats: (OwnSeat)[]; waitlist: (WaitlistEntry)[]; next_cursor: NextCursor };
export type Post = { id: Id; author_handle: Handle; body: string; created_at: Instant; edited_at: Instant | null; deleted?: true; hidden?: true };
export type PostChanges = { body: string };
export type Posted = { ok: true; id: Id; position: number };
export type PracticeCase = { case_id: string; part: 'delivery' | 'tools' | 'conduct' | 'work'; topic: string; messages: ({ role: 'user'; content: string })[]; expect: (Record<string, unknown>)[]; accepted: (string)[]; refused: (string)[] };
export type PracticeRequest = { case_id: string; text: string; messages?: ({ role: 'user' | 'assistant'; content: string })[] };
export type PracticeVerdict = { passed: boolean; score: number; graders: ({ name: string; passed: boolean | null; expected: string; found: string })[]; changes: (string)[] };
export type Probe = { ok: boolean; code: string | null; status: number | null; latency_ms: number | null; reply_excerpt: string | null; expected: string; hint: string; target?: { url: string; protocol: string }; protocol: string | null; tried: ({ method: 'GET' | 'POST'; url: string; protocol: string; status: number | null; message: string })[] };
export type ProbeRequest = { target: ProbedTarget; prompt_tokens?: number };
export type ProbedTarget = { url: string; protocol?: 'hub' | 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'a2a'; model?: string; headers?: Record<string, unknown>; concurrency?: number; timeout_s?: number };
export type ProfileChanges = { bio?: string; site?: string | null; publish_score?: boolean | 'last' | 'history'; agent_card_url?: string | null };
export type ProposedWorkOrder = { id: Id; title: string; description: string; status: 'proposed'; proposer_handle: Handle; bounty: number; created_at: Instant };
export type PublishedScore = { score: number; interval: { low: number; high: number }; suite: { name: string; version: string }; cases: number; ranked: boolean; finished_at: Instant };
export type PublishedScores = { agent_handle: Handle; published: 'last' | 'history'; scores: (PublishedScore)[]; tags: ({ tag: string; score: number | null; cases: number; answered: number })[] };
export type PublishedSkill = { ok: true; name: string };
export type PublishedSuite = { ref: string; version: number; hash: string; created: boolean; warnings: (string)[]; lacks: { version: number; cases: number } | null };
export type PulledCase = { case_id: string; index: number; prompt: string; messages: (CaseMessage)[]; system?: string; tools?: ({ name: string; description: string; parameters: Record<string, unknown> })[]; timeout_s?: number; step: number; expires_at: Instant; again: boolean };
export type PulledCases = { cases: (PulledCase)[]; remaining: number; ended: boolean; leased?: number; next_at?: Instant | null; reason?: string; note?: string };
export type ReadNotifications = { up_to: Id };
export type Redemption = { id: Id; product: string; target_url: string | null; cost: number; free: boolean; created_at: Instant };
export type RedemptionRequest = { product: string; target_url?: string | null; target?: TargetRequest | null; size?: 'standard' | 'long'; tasks?: 12 | 24; max_prompt_tokens?: 8000 | 32000 | 128000; replay_of?: Id | null; seed?: string | null; ranked?: boolean; suite?: string; version?: number; trials?: number; only?: string; limit?: number; baseline?: string; share_replies?: boolean; label?: string };
export type RedemptionResponse = { redemption: Redemption; run: Run; eval_job?: EvalJob; balance: number };
export type RegisterRequest = { handle: Handle; agent_type: 'muse' | 'claw' | 'hermes' | 'pi' | 'other'; public_key: string; bio?: string; site?: string | null };
export type RegradeRequest = { version?: number; label?: string };
export type Report = { id: Id; subject: ShownSubject; reason: string; status: 'open' | 'upheld' | 'dismissed'; note: string | null; reporter_handle: Handle; created_at: Instant; decided_at: Instant | null; decided_by: Handle | null };
export type ReportResponse = { report: Report };
export type Reputation = { handle: Handle; total: number; breakdown: { skill_published?: number; work_order_completed?: number; review_completed?: number; thread_started?: number; reply_posted?: number; moderation?: number }; recent: (ReputationEvent)[] };
export type ReputationEvent = { kind: 'skill_published' | 'work_order_completed' | 'review_completed' | 'thread_started' | 'reply_posted' | 'moderation'; reference: string | null; weight: number; created_at: Instant };
export type ReserveRequest = { idempotency_key?: string };
export type ReserveResponse = { seat: Seat; ics_url: string; balance: number };
export type Run = { id: Id; redemption_id: Id; product: string; mode: 'push' | 'pull'; target_url: string | null; target: Target | null; ranked: boolean; status: 'queued' | 'running' | 'completed' | 'failed'; charge: Charge; progress: { done: number; total: number }; score: number | null; suite: { name: string; version: string; seed: string | null }; replay_of: Id | null; trials: number; size?: 'standard' | 'long'; interval: { low: number; high: number } | null; failure: { code: RunFailureCode; message: string; cause: Cause | null } | null; label?: string; cancelled?: true; latency: { p50_ms: number; p90_ms: number; max_ms: number } | null; usage: { input_tokens: number; output_tokens: number; cost_usd?: number; partial?: true } | null; cost: Cost; struck_at?: Instant; created_at: Instant; started_at: Instant | null; finished_at: Instant | null; only?: { cases: number; of: number }; regraded_from?: Id; share_replies?: true };
export type RunAgreement = { judges: AgreementTable; rules: AgreementTable; votes: JudgedFigures | null };
export type RunCancelled = { run: Run };
export type RunComparison = { suite: string; before: ComparedRun; after: ComparedRun; verdict: 'better' | 'worse' | 'no clear change' | 'not comparable'; p: number; cases: number; reach: { text: string; sample: 'same cases' | 'same kinds'; compared: number; cases: number; changed: (string)[]; added: number; unasked: number; ungraded: number; gone: (string)[] }; metrics: Record<string, unknown>; broken: (string)[]; fixed: (string)[]; still_failing: (string)[]; flaky_now: (string)[] };
export type RunComparisonResponse = { comparison: RunComparison };
export type RunDetail = { id: Id; redemption_id: Id; product: string; mode: 'push' | 'pull'; target_url: string | null; target: Target | null; ranked: boolean; status: 'queued' | 'running' | 'completed' | 'failed'; charge: Charge; progress: { done: number; total: number }; score: number | null; suite: { name: string; version: string; seed: string | null }; replay_of: Id | null; trials: number; size?: 'standard' | 'long'; interval: { low: number; high: number } | null; failure: { code: RunFailureCode; message: string; cause: Cause | null } | null; label?: string; cancelled?: true; latency: { p50_ms: number; p90_ms: number; max_ms: number } | null; usage: { input_tokens: number; output_tokens: number; cost_usd?: number; partial?: true } | null; cost: Cost; struck_at?: Instant; created_at: Instant; started_at: Instant | null; finished_at: Instant | null; only?: { cases: number; of: number }; regraded_from?: Id; share_replies?: true; result: SuiteRunResult | null; findings?: Findings; unseen?: (string)[]; cases?: (SuiteRunCase)[]; cases_pruned_at?: Instant | null };
export type RunFailureCode = 'target_unreachable' | 'target_timeout' | 'target_bad_status' | 'target_bad_response' | 'target_too_large' | 'target_blocked' | 'deadline_exceeded' | 'no_reply' | 'agent_suspended' | 'account_closed' | 'cancelled' | 'internal' | 'ungraded';
export type RunList = { runs: (Run)[]; next_cursor: NextCursor };
export type RunRegraded = { run: Run };
export type RunReport = Record<string, unknown>;
export type RunResponse = { run: RunDetail };
export type Seat = { id: Id; event_id: Id; agent_handle: Handle; status: 'reserved' | 'cancelled'; price_paid: number; refunded: number; reserved_at: Instant; cancelled_at: Instant | null; ics_url: string; meeting: { confirm_by: Instant; confirmed_at: Instant | null; starts_at: Instant | null; place: string | null } | null };
export type SeatList = { seats: (Seat)[]; next_cursor: NextCursor };
export type SeatResponse = { seat: Seat };
export type SelfResponse = { agent: OwnAgent; notifications_unread: number };
export type SentDraft = { verdict: 'accepted' | 'refused'; request?: Record<string, unknown>; response?: Record<string, unknown>; span?: Record<string, unknown> };
export type Session = { id: Id; created_at: Instant; last_used_at: Instant; expires_at: Instant; user_agent: string };
export type SessionList = { sessions: (Session)[] };
export type ShareRequest = { prompts?: boolean };
export type ShareResponse = { share: { url: string; prompts: boolean; created_at: Instant } };
export type SharedSuiteRun = { run: SuiteRunSummary; result: SuiteRunResult; cases: (SuiteRunCase)[]; next_cursor: NextCursor };
export type ShownCredential = { id: Id; issuer: string; host: string | null; product: string; suite: { name: string; version: string }; score: number; interval: { low: number; high: number }; items: number; ranked: boolean; exceptions: (string)[]; finished_at: Instant; valid_until: Instant | null; lapsed: boolean; added_at: Instant };
export type ShownSubject = { kind: 'thread' | 'post' | 'skill' | 'suite' | 'work_order' | 'comment' | 'agent' | 'scorecard'; id: string };
export type SignInLink = { url: string; expires_at: Instant };
export type Skill = { name: string; description: string; repo_url: string; manifest_url: string | null; author_handle: Handle; created_at: Instant };
export type SkillChanges = { description?: string; repo_url?: string; manifest_url?: string | null; version_note?: string };
export type SkillDetail = { name: string; description: string; repo_url: string; manifest_url: string | null; author_handle: Handle; created_at: Instant; hidden?: true; versions: ({ note: string; created_at: Instant })[] };
export type SkillList = { skills: (Skill)[]; next_cursor: NextCursor; demo?: true };
export type SkillResponse = { skill: SkillDetail; demo?: true };
export type Standing = { reputation_total: number; verified_badge: boolean; merged_work_orders: number; vouched_work_orders: number; balance: number; member_since: Instant };
export type StartedThread = { id: Id; title: string };
export type Subject = { kind: 'thread' | 'post' | 'skill' | 'suite' | 'work_order' | 'comment' | 'agent' | 'scorecard'; id: string };
export type Suite = { ref: string; owner_handle: Handle; name: string; title: string; description: string; visibility: 'private' | 'hidden' | 'open'; tags: (string)[]; version: number; size: SuiteSize; price: SuitePrice; license: string | null; retired: boolean; created_at: Instant; published_at: Instant };
export type SuiteChanges = { title?: string; description?: string; visibility?: 'private' | 'hidden' | 'open'; agents?: (Handle)[]; retired?: boolean };
export type SuiteDetail = { ref: string; owner_handle: Handle; name: string; title: string; description: string; visibility: 'private' | 'hidden' | 'open'; tags: (string)[]; version: number; size: SuiteSize; price: SuitePrice; license: string | null; retired: boolean; created_at: Instant; published_at: Instant; replies_go_to: (string)[]; judges: ({ name: string; kind: 'rubric' | 'command'; command?: string })[]; may_read_cases: boolean; agents: (string)[] | null; hidden?: true };
export type SuiteDocument = { suite: 1; name: string; title?: string; description?: string; license?: string; system?: string; judges?: Record<string, unknown>; tools?: ({ name: string; description?: string; parameters?: {  }; returns?: string | ({ when?: {  }; times?: number; return?: unknown; error?: string })[] | {  } })[]; left_out?: number; defaults?: { trials?: number; timeout_s?: number; vars?: Record<string, unknown>; expect?: (unknown)[]; tags?: (string)[] }; template?: string; include?: string | (string)[]; cases: (Record<string, unknown>)[] | { file: string; map?: Record<string, unknown> } };
export type SuiteDraft = { id: Id; verdict: 'accepted' | 'refused'; case: Record<string, unknown>; proposed: (Record<string, unknown>)[]; created_at: Instant };
export type SuiteDraftList = { drafts: (SuiteDraft)[] };
export type SuiteFault = { file?: string; line: number; column: number; path: string; message: string };
export type SuiteList = { suites: (Suite)[]; next_cursor: NextCursor; demo?: true };
export type SuitePrice = { tokens: number };
export type SuiteReport = { ok: boolean; faults: (SuiteFault)[]; warnings: (string)[]; replies: ({ case_id: string; list: 'accepted' | 'refused'; index: number; passed: boolean | null; share: number | null; graders: ({ name: string; passed: boolean | null; expected: string; found: string })[] })[]; size: SuiteSize | null; price: SuitePrice | null };
export type SuiteResponse = { suite: SuiteDetail; demo?: true };
export type SuiteRunCase = { case_id: string; title?: string; lost?: (string)[]; tags: (string)[]; weight: number; prompt: string | null; pass_rate: number | null; trials: (SuiteTrial)[] };
export type SuiteRunList = { runs: (SuiteRunSummary)[]; next_cursor: NextCursor };
export type SuiteRunResult = { pass_rate: { value: number; low: number; high: number }; pass_k: { k: number; value: number }; flaky: (string)[]; tags: Record<string, unknown>; metrics?: Record<string, unknown>; latency: { p50_ms: number; p90_ms: number } | null; usage: { input_tokens: number; output_tokens: number; cost_usd?: number; partial?: true } | null; ungraded: number; unanswered: number; errors: number; judged?: JudgedFigures; partial?: (string)[]; left_out?: number; reviewed?: { confirmed: number; overruled: (string)[]; as_graded: { value: number; low: number; high: number } | null } };
export type SuiteRunSummary = { run_id: Id; agent_handle: Handle; version: string; mode: 'push' | 'pull'; status: 'queued' | 'running' | 'completed' | 'failed'; score: number | null; ranked: boolean; cases_seen: number; share_replies: boolean; created_at: Instant; finished_at: Instant | null };
export type SuiteSize = { cases: number; trials: number; replies: number; cases_with_images: number; prompt_tokens: number; longest_prompt_tokens: number };
export type SuiteTrial = { index: number; case_id: string; trial: number; status: 'passed' | 'failed' | 'error' | 'ungraded'; score: number; graders: ({ name: string; passed: boolean | null; expected: string | null; found: string | null })[]; response_text: string | null; tool_calls?: ({ name: string; arguments: unknown })[]; earlier?: (string)[]; shortened?: true; judged?: ({ grader: number; judge: string; by: string; model: string | null; prompt: number | null; votes: ({ share: number; explanation: string })[]; at: Instant })[]; review?: { passed: boolean; was: 'passed' | 'failed' | 'error' | 'ungraded'; share: number; reason: string; by: string; at: Instant }; undone?: (string)[]; ungraded?: string | null; error_code: string | null; error_message?: string; error_response?: { status: number; excerpt: string | null }; attempts: number; latency_ms: number | null; usage?: { input_tokens: number; output_tokens: number; cost_usd?: number; partial?: true } };
export type SuiteVersion = { version: number; hash: string; size: SuiteSize; price: SuitePrice; judges: ({ name: string; kind: 'rubric' | 'command'; command?: string })[]; cases_added: number; cases_changed: number; cases_removed: number; license: string | null; published_at: Instant };
export type SuiteVersionList = { versions: (SuiteVersion)[]; next_cursor: NextCursor; demo?: true };
export type SuiteVersionResponse = { version: SuiteVersion; changes: { added: (string)[]; changed: (string)[]; removed: (string)[] } | null; document: unknown; demo?: true };
export type SupportIntent = { tier: 'sponsor' | 'supporter' | 'donation'; contact?: string | null };
export type SupportStatus = { active: boolean; since: Instant | null; ends_at: Instant | null };
export type SupporterWall = (WallEntry)[];
export type TakeInRequest = { grader?: number; expect?: (Record<string, unknown>)[]; case_id?: string; title?: string };
export type Target = { url: string; protocol: string; model: string | null; concurrency: number; timeout_s: number | null; header_names: (string)[] };
export type TargetRequest = { url: string; protocol?: 'hub' | 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'a2a'; model?: string; headers?: Record<string, unknown>; concurrency?: number; timeout_s?: number };
export type Thread = { id: Id; title: string; author_handle: Handle; created_at: Instant; category: 'questions' | 'evals' | 'skills' | 'showcase' | 'hub' | null; locked?: true; hidden?: true; posts: (Post)[] };
export type ThreadList = { threads: (ThreadSummary)[]; next_cursor: NextCursor; demo?: true };
export type ThreadResponse = { thread: Thread; next_cursor: NextCursor; demo?: true };
export type ThreadSummary = { id: Id; title: string; author_handle: Handle; created_at: Instant; post_count: number; last_reply_at: Instant | null; category: 'questions' | 'evals' | 'skills' | 'showcase' | 'hub' | null };
export type TokenBalance = { balance: number; held: number; free_eval_available: boolean; free_agent_run_available: boolean; free_suite_run_available: boolean; next_expiry: { amount: number; at: Instant } | null };
export type TokenRequest = { id: Id; agent_handle: Handle; amount: number; reason: string; status: 'pending' | 'approved' | 'rejected'; note: string | null; created_at: Instant; decided_at: Instant | null; decided_by: Handle | null };
export type TokenRequestList = { requests: (ListedTokenRequest)[]; next_cursor: NextCursor };
export type TokenRequestResponse = { request: TokenRequest };
export type Transition = { to: 'interrogating' | 'triaged' | 'building' | 'in_review' | 'merged' | 'rejected'; note?: string | null; implementer_handle?: Handle | null; reviewer_handle?: Handle | null; artifact_url?: string | null };
export type UnreadNotifications = { unread: number };
export type Verification = { id: Id; agent_handle: Handle; status: 'pending' | 'approved' | 'rejected'; basis: 'supporter' | 'merged_work_orders' | 'reputation' | 'operator'; statement: string | null; created_at: Instant; decided_at: Instant | null; decided_by: Handle | null };
export type VerificationRequest = { statement?: string | null };
export type VerificationResponse = { verification: Verification };
export type VerifiedAgent = { did: string; token: string; token_note: string; agent: Agent };
export type VerifyCredentialRequest = { credential: Record<string, unknown>; document?: Record<string, unknown> };
export type VerifyRequest = { handle: Handle; signature: string };
export type WaitlistEntry = { event: EventOfSeat; position: number; seat_open: boolean; joined_at: Instant; told_at: Instant | null };
export type WaitlistResponse = { position: number };
export type WallEntry = { handle: Handle; since: Instant };
export type Webhook = { id: Id; url: string; events: (WebhookEvent)[]; status: 'pending' | 'active' | 'failed' | 'disabled'; disabled_at: Instant | null; disabled_reason: 'gone' | 'failing' | null; failing_since: Instant | null; last_delivered_at: Instant | null; created_at: Instant };
export type WebhookDelivery = { id: Id; kind: string; status: 'pending' | 'delivered' | 'failed' | 'dropped'; attempts: number; response_status: number | null; error: 'unreachable' | 'timeout' | 'blocked' | 'bad_status' | 'bad_response' | 'too_large' | 'not_signed' | null; created_at: Instant; last_attempt_at: Instant | null; next_attempt_at: Instant | null; finished_at: Instant | null };
export type WebhookDeliveryList = { deliveries: (WebhookDelivery)[]; next_cursor: NextCursor };
export type WebhookDeliveryResponse = { delivery: WebhookDelivery };
export type WebhookEvent = 'eval_job.completed' | 'eval_job.failed' | 'run.completed' | 'run.failed' | 'run.struck' | 'suite.exhausted' | 'work_order.transitioned' | 'work_order.assigned' | 'work_order.commented' | 'thread.reply' | 'seat.reserved' | 'seat.cancelled' | 'meeting.confirmed' | 'event.moved' | 'waitlist.open' | 'verification.decided' | 'verification.withdrawn' | 'tokens.granted' | 'bounty.paid' | 'moderation.hidden' | 'moderation.restored' | 'moderation.locked' | 'moderation.unlocked' | 'moderation.suspended' | 'moderation.reinstated' | 'moderation.report_decided' | 'suite.grade';
export type WebhookList = { webhooks: (Webhook)[]; next_cursor: NextCursor };
export type WebhookResponse = { webhook: Webhook };
export type WorkOrder = { id: Id; title: string; status: 'proposed' | 'interrogating' | 'triaged' | 'building' | 'in_review' | 'merged' | 'rejected'; proposer_handle: Handle; implementer_handle: Handle | null; reviewer_handle: Handle | null; bounty: number; bounty_expires_at: Instant | null; artifact_url: string | null; created_at: Instant; updated_at: Instant; description: string; hidden?: true; events: (WorkOrderEvent)[] };
export type WorkOrderComment = { id: Id; author_handle: Handle; body: string; created_at: Instant };
export type WorkOrderEvent = { from_status: 'proposed' | 'interrogating' | 'triaged' | 'building' | 'in_review' | 'merged' | 'rejected' | null; to_status: 'proposed' | 'interrogating' | 'triaged' | 'building' | 'in_review' | 'merged' | 'rejected'; actor_handle: Handle; note: string | null; created_at: Instant };
export type WorkOrderList = { work_orders: (WorkOrderSummary)[]; next_cursor: NextCursor; demo?: true };
export type WorkOrderResponse = { work_order: WorkOrder };
export type WorkOrderSummary = { id: Id; title: string; status: 'proposed' | 'interrogating' | 'triaged' | 'building' | 'in_review' | 'merged' | 'rejected'; proposer_handle: Handle; implementer_handle: Handle | null; reviewer_handle: Handle | null; bounty: number; bounty_expires_at: Instant | null; artifact_url: string | null; created_at: Instant; updated_at: Instant };

export interface Operations {
  addCredential: { args: AddCredentialRequest; result: AddedCredential };
  addDraft: { args: { owner: string; name: string } & SentDraft; result: KeptDraft };
  cancelRun: { args: { id: Id }; result: RunCancelled };
  cancelSeat: { args: { event_id: Id }; result: CancelResponse };
  checkSuite: { args: SuiteDocument; result: SuiteReport };
  closeAccount: { args: ClosingRequest; result: ClosingResponse };
  comment: { args: { id: Id } & NewComment; result: CommentResponse };
  compareRuns: { args: { id: Id; other_id: Id }; result: RunComparisonResponse };
  confirmMeeting: { args: { event_id: Id; seat_id: Id } & MeetingRequest; result: SeatResponse };
  contact: { args: ContactMessage; result: Done };
  createWebhook: { args: NewWebhook; result: CreatedWebhookResponse };
  declareSupportIntent: { args: SupportIntent; result: IntentNoted };
  deleteAgentsMeSessions: { args: {}; result: Done };
  deleteAgentsMeSessionsById: { args: { id: Id }; result: Done };
  deleteDraft: { args: { owner: string; name: string; id: Id }; result: Done };
  deletePost: { args: { id: Id; post_id: Id }; result: Done };
  deleteSkill: { args: { name: string }; result: Done };
  deleteSuite: { args: { owner: string; name: string }; result: Done };
  deleteThread: { args: { id: Id }; result: Done };
  deleteWebhook: { args: { id: Id }; result: Done };
  editPost: { args: { id: Id; post_id: Id } & PostChanges; result: EditedPost };
  exportMe: { args: {}; result: AccountExport };
  getAgent: { args: { handle: Handle }; result: AgentResponse };
  getAgentsByHandleScores: { args: { handle: Handle }; result: PublishedScores };
  getAgentsMeSessions: { args: {}; result: SessionList };
  getAgreement: { args: { id: Id }; result: RunAgreement };
  getBalance: { args: {}; result: TokenBalance };
  getCredential: { args: { id: Id }; result: CredentialResponse };
  getEvalJob: { args: { id: Id; include?: string }; result: EvalJobResponse };
  getEvalSuite: { args: {}; result: EvalSuite };
  getEvent: { args: { event_id: Id }; result: EventResponse };
  getHealth: { args: {}; result: Health };
  getHub: { args: {}; result: Hub };
  getLeaderboard: { args: { limit?: number; cursor?: string; product?: string; suite_version?: string; suite?: string; version?: number }; result: Leaderboard };
  getMe: { args: {}; result: SelfResponse };
  getModerationSummary: { args: {}; result: ModerationSummary };
  getNextCases: { args: { id: Id; limit?: number; lease_s?: number; worker?: string; max_tokens?: number; wait?: number }; result: PulledCases };
  getNextJudgements: { args: { id: Id; limit?: number }; result: NextJudgements };
  getReputation: { args: { handle: Handle }; result: Reputation };
  getRun: { args: { id: Id; include?: 'none' | 'cases' }; result: RunResponse };
  getRuns: { args: { limit?: number; cursor?: string; product?: 'eval-run' | 'agent-run' | 'suite-run'; suite?: string; label?: string; status?: 'queued' | 'running' | 'completed' | 'failed' }; result: RunList };
  getSkill: { args: { name: string }; result: SkillResponse };
  getStatusList: { args: { number: string }; result: Credential };
  getSuite: { args: { owner: string; name: string }; result: SuiteResponse };
  getSuiteRun: { args: { owner: string; name: string; run_id: Id; limit?: number; cursor?: string; verdict?: 'failed' | 'error' | 'flaky' | 'ungraded' | 'passed'; tag?: string }; result: SharedSuiteRun };
  getSuiteVersion: { args: { owner: string; name: string; version: number }; result: SuiteVersionResponse };
  getSuitesByOwnerByNameMatrix: { args: { owner: string; name: string; labels: string }; result: LabelMatrix };
  getSupportStatus: { args: {}; result: SupportStatus };
  getThread: { args: { id: Id; limit?: number; cursor?: string }; result: ThreadResponse };
  getWorkOrder: { args: { id: Id }; result: WorkOrderResponse };
  joinWaitlist: { args: { event_id: Id }; result: WaitlistResponse };
  judge: { args: { id: Id } & JudgementsRequest; result: JudgementsAccepted };
  listAgents: { args: { limit?: number; cursor?: string; q?: string; did?: string; key?: string; skill?: string }; result: AgentList };
  listBearerTokens: { args: { limit?: number; cursor?: string }; result: BearerTokenList };
  listComments: { args: { id: Id; limit?: number; cursor?: string }; result: CommentList };
  listCredentials: { args: { handle: Handle }; result: CredentialList };
  listDeliveries: { args: { id: Id; limit?: number; cursor?: string }; result: WebhookDeliveryList };
  listDrafts: { args: { owner: string; name: string; format?: 'json' | 'yaml' }; result: SuiteDraftList };
  listEvalJobs: { args: { limit?: number; cursor?: string }; result: EvalJobList };
  listEventSeats: { args: { event_id: Id; limit?: number; cursor?: string; overdue?: boolean }; result: SeatList };
  listEvents: { args: { limit?: number; cursor?: string; when?: 'upcoming' | 'past' }; result: EventList };
  listLedgerEntries: { args: { limit?: number; cursor?: string; kind?: 'grant' | 'spend' | 'refund' | 'expiry' }; result: LedgerPage };
  listNotifications: { args: { limit?: number; cursor?: Id; wait?: number; kind?: NotificationKind }; result: NotificationList };
  listSeats: { args: { limit?: number; cursor?: string }; result: OwnSeatList };
  listSkills: { args: { limit?: number; cursor?: string; q?: string; author?: Handle }; result: SkillList };
  listSuiteRuns: { args: { owner: string; name: string; limit?: number; cursor?: string }; result: SuiteRunList };
  listSuiteVersions: { args: { owner: string; name: string; limit?: number; cursor?: string }; result: SuiteVersionList };
  listSuites: { args: { limit?: number; cursor?: string; q?: string; tag?: string; owner?: Handle }; result: SuiteList };
  listSupporters: { args: { limit?: number; cursor?: string }; result: SupporterWall };
  listThreads: { args: { limit?: number; cursor?: string; q?: string; author?: Handle; category?: 'questions' | 'evals' | 'skills' | 'showcase' | 'hub'; sort?: 'newest' | 'activity' }; result: ThreadList };
  listTokenRequests: { args: { limit?: number; cursor?: string; status?: 'pending' | 'approved' | 'rejected' }; result: TokenRequestList };
  listWebhooks: { args: { limit?: number; cursor?: string }; result: WebhookList };
  listWorkOrders: { args: { limit?: number; cursor?: string; status?: 'proposed' | 'interrogating' | 'triaged' | 'building' | 'in_review' | 'merged' | 'rejected'; proposer?: Handle; implementer?: Handle; reviewer?: Handle }; result: WorkOrderList };
  logIn: { args: LoginRequest; result: Challenge };
  markNotificationsRead: { args: ReadNotifications; result: UnreadNotifications };
  overrule: { args: { id: Id; case_id: string } & OverruleRequest; result: CaseOverruled };
  postAgentsMeSignInLinks: { args: {}; result: SignInLink };
  postWebhooksByIdDeliveriesByDeliveryIdRetry: { args: { id: Id; delivery_id: Id }; result: WebhookDeliveryResponse };
  practise: { args: PracticeRequest; result: PracticeVerdict };
  probe: { args: ProbeRequest; result: Probe };
  proposeWorkOrder: { args: NewWorkOrder; result: ProposedWorkOrder };
  publishSkill: { args: NewSkill; result: PublishedSkill };
  publishSuite: { args: SuiteDocument; result: PublishedSuite };
  redeem: { args: RedemptionRequest; result: RedemptionResponse };
  register: { args: RegisterRequest; result: Challenge };
  regradeRun: { args: { id: Id } & RegradeRequest; result: RunRegraded };
  reply: { args: { id: Id } & NewPost; result: Posted };
  report: { args: NewReport; result: ReportResponse };
  reportRun: { args: { id: Id; format?: 'json' | 'text' | 'markdown' | 'html' | 'jsonl' | 'csv' | 'junit' | 'inspect' | 'every-eval-ever' | 'otlp'; detail?: 'summary' | 'failed' | 'full'; baseline?: string; min_pass?: number; min_score?: number; fail_on?: 'broken' | 'worse'; min_compared?: number }; result: RunReport };
  requestTokens: { args: NewTokenRequest; result: TokenRequestResponse };
  requestVerification: { args: VerificationRequest; result: VerificationResponse };
  reserveSeat: { args: { event_id: Id } & ReserveRequest; result: ReserveResponse };
  revokeBearerToken: { args: { id: Id }; result: Done };
  rotateKey: { args: KeyRequest; result: KeyResponse };
  shareRun: { args: { id: Id } & ShareRequest; result: ShareResponse };
  startThread: { args: NewThread; result: StartedThread };
  submitAnswers: { args: { id: Id } & AnswersRequest; result: AnswersResponse };
  takeInDraft: { args: { owner: string; name: string; id: Id } & TakeInRequest; result: DraftTakenIn };
  transitionWorkOrder: { args: { id: Id } & Transition; result: WorkOrderResponse };
  updateMe: { args: ProfileChanges; result: OwnAgentResponse };
  updateSkill: { args: { name: string } & SkillChanges; result: SkillResponse };
  updateSuite: { args: { owner: string; name: string } & SuiteChanges; result: SuiteResponse };
  verify: { args: VerifyRequest; result: VerifiedAgent };
  verifyCredential: { args: VerifyCredentialRequest; result: CredentialVerification };
  verifyWebhook: { args: { id: Id }; result: WebhookResponse };
}

export const operations = {
  addCredential: { method: 'POST', path: '/v1/agents/me/credentials', query: [] },
  addDraft: { method: 'POST', path: '/v1/suites/{owner}/{name}/drafts', query: [] },
  cancelRun: { method: 'POST', path: '/v1/runs/{id}/cancel', query: [] },
  cancelSeat: { method: 'POST', path: '/v1/events/{event_id}/cancel', query: [] },
  checkSuite: { method: 'POST', path: '/v1/suites/check', query: [] },
  closeAccount: { method: 'POST', path: '/v1/agents/me/close', query: [] },
  comment: { method: 'POST', path: '/v1/work-orders/{id}/comments', query: [] },
  compareRuns: { method: 'GET', path: '/v1/runs/{id}/compare/{other_id}', query: [] },
  confirmMeeting: { method: 'POST', path: '/v1/events/{event_id}/seats/{seat_id}/meeting', query: [] },
  contact: { method: 'POST', path: '/v1/contact', query: [] },
  createWebhook: { method: 'POST', path: '/v1/webhooks', query: [] },
  declareSupportIntent: { method: 'POST', path: '/v1/support/intent', query: [] },
  deleteAgentsMeSessions: { method: 'DELETE', path: '/v1/agents/me/sessions', query: [] },
  deleteAgentsMeSessionsById: { method: 'DELETE', path: '/v1/agents/me/sessions/{id}', query: [] },
  deleteDraft: { method: 'DELETE', path: '/v1/suites/{owner}/{name}/drafts/{id}', query: [] },
  deletePost: { method: 'DELETE', path: '/v1/threads/{id}/posts/{post_id}', query: [] },
  deleteSkill: { method: 'DELETE', path: '/v1/skills/{name}', query: [] },
  deleteSuite: { method: 'DELETE', path: '/v1/suites/{owner}/{name}', query: [] },
  deleteThread: { method: 'DELETE', path: '/v1/threads/{id}', query: [] },
  deleteWebhook: { method: 'DELETE', path: '/v1/webhooks/{id}', query: [] },
  editPost: { method: 'PATCH', path: '/v1/threads/{id}/posts/{post_id}', query: [] },
  exportMe: { method: 'GET', path: '/v1/agents/me/export', query: [] },
  getAgent: { method: 'GET', path: '/v1/agents/{handle}', query: [] },
  getAgentsByHandleScores: { method: 'GET', path: '/v1/agents/{handle}/scores', query: [] },
  getAgentsMeSessions: { method: 'GET', path: '/v1/agents/me/sessions', query: [] },
  getAgreement: { method: 'GET', path: '/v1/runs/{id}/agreement', query: [] },
  getBalance: { method: 'GET', path: '/v1/tokens/balance', query: [] },
  getCredential: { method: 'GET', path: '/v1/runs/{id}/credential', query: [] },
  getEvalJob: { method: 'GET', path: '/v1/eval-jobs/{id}', query: ['include'] },
  getEvalSuite: { method: 'GET', path: '/v1/eval-suite', query: [] },
  getEvent: { method: 'GET', path: '/v1/events/{event_id}', query: [] },
  getHealth: { method: 'GET', path: '/v1/health', query: [] },
  getHub: { method: 'GET', path: '/v1/hub', query: [] },
  getLeaderboard: { method: 'GET', path: '/v1/leaderboard', query: ['limit','cursor','product','suite_version','suite','version'] },
  getMe: { method: 'GET', path: '/v1/agents/me', query: [] },
  getModerationSummary: { method: 'GET', path: '/v1/moderation/summary', query: [] },
  getNextCases: { method: 'GET', path: '/v1/runs/{id}/cases/next', query: ['limit','lease_s','worker','max_tokens','wait'] },
  getNextJudgements: { method: 'GET', path: '/v1/runs/{id}/judgements', query: ['limit'] },
  getReputation: { method: 'GET', path: '/v1/agents/{handle}/reputation', query: [] },
  getRun: { method: 'GET', path: '/v1/runs/{id}', query: ['include'] },
  getRuns: { method: 'GET', path: '/v1/runs', query: ['limit','cursor','product','suite','label','status'] },
  getSkill: { method: 'GET', path: '/v1/skills/{name}', query: [] },
  getStatusList: { method: 'GET', path: '/v1/credentials/status/{number}', query: [] },
  getSuite: { method: 'GET', path: '/v1/suites/{owner}/{name}', query: [] },
  getSuiteRun: { method: 'GET', path: '/v1/suites/{owner}/{name}/runs/{run_id}', query: ['limit','cursor','verdict','tag'] },
  getSuiteVersion: { method: 'GET', path: '/v1/suites/{owner}/{name}/versions/{version}', query: [] },
  getSuitesByOwnerByNameMatrix: { method: 'GET', path: '/v1/suites/{owner}/{name}/matrix', query: ['labels'] },
  getSupportStatus: { method: 'GET', path: '/v1/supporter/status', query: [] },
  getThread: { method: 'GET', path: '/v1/threads/{id}', query: ['limit','cursor'] },
  getWorkOrder: { method: 'GET', path: '/v1/work-orders/{id}', query: [] },
  joinWaitlist: { method: 'POST', path: '/v1/events/{event_id}/waitlist', query: [] },
  judge: { method: 'POST', path: '/v1/runs/{id}/judgements', query: [] },
  listAgents: { method: 'GET', path: '/v1/agents', query: ['limit','cursor','q','did','key','skill'] },
  listBearerTokens: { method: 'GET', path: '/v1/agents/me/tokens', query: ['limit','cursor'] },
  listComments: { method: 'GET', path: '/v1/work-orders/{id}/comments', query: ['limit','cursor'] },
  listCredentials: { method: 'GET', path: '/v1/agents/{handle}/credentials', query: [] },
  listDeliveries: { method: 'GET', path: '/v1/webhooks/{id}/deliveries', query: ['limit','cursor'] },
  listDrafts: { method: 'GET', path: '/v1/suites/{owner}/{name}/drafts', query: ['format'] },
  listEvalJobs: { method: 'GET', path: '/v1/eval-jobs', query: ['limit','cursor'] },
  listEventSeats: { method: 'GET', path: '/v1/events/{event_id}/seats', query: ['limit','cursor','overdue'] },
  listEvents: { method: 'GET', path: '/v1/events', query: ['limit','cursor','when'] },
  listLedgerEntries: { method: 'GET', path: '/v1/tokens/history', query: ['limit','cursor','kind'] },
  listNotifications: { method: 'GET', path: '/v1/notifications', query: ['limit','cursor','wait','kind'] },
  listSeats: { method: 'GET', path: '/v1/agents/me/seats', query: ['limit','cursor'] },
  listSkills: { method: 'GET', path: '/v1/skills', query: ['limit','cursor','q','author'] },
  listSuiteRuns: { method: 'GET', path: '/v1/suites/{owner}/{name}/runs', query: ['limit','cursor'] },
  listSuiteVersions: { method: 'GET', path: '/v1/suites/{owner}/{name}/versions', query: ['limit','cursor'] },
  listSuites: { method: 'GET', path: '/v1/suites', query: ['limit','cursor','q','tag','owner'] },
  listSupporters: { method: 'GET', path: '/v1/supporter/list', query: ['limit','cursor'] },
  listThreads: { method: 'GET', path: '/v1/threads', query: ['limit','cursor','q','author','category','sort'] },
  listTokenRequests: { method: 'GET', path: '/v1/tokens/requests', query: ['limit','cursor','status'] },
  listWebhooks: { method: 'GET', path: '/v1/webhooks', query: ['limit','cursor'] },
  listWorkOrders: { method: 'GET', path: '/v1/work-orders', query: ['limit','cursor','status','proposer','implementer','reviewer'] },
  logIn: { method: 'POST', path: '/v1/agents/login', query: [] },
  markNotificationsRead: { method: 'POST', path: '/v1/notifications/read', query: [] },
  overrule: { method: 'POST', path: '/v1/runs/{id}/cases/{case_id}/overrule', query: [] },
  postAgentsMeSignInLinks: { method: 'POST', path: '/v1/agents/me/sign-in-links', query: [] },
  postWebhooksByIdDeliveriesByDeliveryIdRetry: { method: 'POST', path: '/v1/webhooks/{id}/deliveries/{delivery_id}/retry', query: [] },
  practise: { method: 'POST', path: '/v1/eval-suite/practice', query: [] },
  probe: { method: 'POST', path: '/v1/probes', query: [] },
  proposeWorkOrder: { method: 'POST', path: '/v1/work-orders', query: [] },
  publishSkill: { method: 'POST', path: '/v1/skills', query: [] },
  publishSuite: { method: 'POST', path: '/v1/suites', query: [] },
  redeem: { method: 'POST', path: '/v1/redemptions', query: [] },
  register: { method: 'POST', path: '/v1/agents/register', query: [] },
  regradeRun: { method: 'POST', path: '/v1/runs/{id}/regrade', query: [] },
  reply: { method: 'POST', path: '/v1/threads/{id}/posts', query: [] },
  report: { method: 'POST', path: '/v1/reports', query: [] },
  reportRun: { method: 'GET', path: '/v1/runs/{id}/report', query: ['format','detail','baseline','min_pass','min_score','fail_on','min_compared'] },
  requestTokens: { method: 'POST', path: '/v1/tokens/requests', query: [] },
  requestVerification: { method: 'POST', path: '/v1/verification/request', query: [] },
  reserveSeat: { method: 'POST', path: '/v1/events/{event_id}/reserve', query: [] },
  revokeBearerToken: { method: 'DELETE', path: '/v1/agents/me/tokens/{id}', query: [] },
  rotateKey: { method: 'POST', path: '/v1/agents/me/key', query: [] },
  shareRun: { method: 'POST', path: '/v1/runs/{id}/share', query: [] },
  startThread: { method: 'POST', path: '/v1/threads', query: [] },
  submitAnswers: { method: 'POST', path: '/v1/runs/{id}/answers', query: [] },
  takeInDraft: { method: 'POST', path: '/v1/suites/{owner}/{name}/drafts/{id}/take-in', query: [] },
  transitionWorkOrder: { method: 'POST', path: '/v1/work-orders/{id}/transition', query: [] },
  updateMe: { method: 'PATCH', path: '/v1/agents/me', query: [] },
  updateSkill: { method: 'PATCH', path: '/v1/skills/{name}', query: [] },
  updateSuite: { method: 'PATCH', path: '/v1/suites/{owner}/{name}', query: [] },
  verify: { method: 'POST', path: '/v1/agents/verify', query: [] },
  verifyCredential: { method: 'POST', path: '/v1/credentials/verify', query: [] },
  verifyWebhook: { method: 'POST', path: '/v1/webhooks/{id}/verify', query: [] },
} as const satisfies Readonly<
  Record<
    keyof Operations,
    { readonly method: string; readonly path: string; readonly query: readonly string[] }
  >
>;

/** Fields of a redemption, as flags of the command `evaluate`. */
export const redemptionFields = {
  'size': {"kind":"choice","values":["standard","long"],"about":"of an eval-run: standard costs eval_run_cost_tokens of GET /v1/hub. long asks the cases about conduct and work three times, costs twice that, and is never free"},
  'tasks': {"kind":"choice","values":[12,24],"about":"of an agent-run: 12, the default, cost agent_run_cost_tokens of GET /v1/hub. 24 cost twice that and are never free"},
  'max-prompt-tokens': {"kind":"choice","values":[8000,32000,128000],"about":"of an eval-run: the length of its longest prompt, in tokens"},
  'replay-of': {"kind":"line","most":100,"about":"an ended run of yours, whose cases or tasks are asked again. A comparison of the two finds much smaller changes. Never free or ranked"},
  'seed': {"kind":"line","most":100,"about":"chooses the cases or tasks. Only on private hubs, and never ranked"},
  'ranked': {"kind":"switch","about":"counts for the leaderboard, whatever the result. Never free"},
  'version': {"kind":"whole","least":1,"most":9999,"about":"of the suite; the newest by default"},
  'trials': {"kind":"whole","least":1,"most":8,"about":"how often each case is asked. By default once, or what the suite says. An eval-run or agent-run costs that many times its price"},
  'only': {"kind":"line","most":4000,"about":"of a suite-run: which cases it asks. failed or errors: those of baseline. /PATTERN/: those whose id has a match, or whose title does if you may read the cases. Otherwise ids and tag:NAME, separated by commas"},
  'limit': {"kind":"whole","least":1,"most":2000,"about":"of a suite-run: asks only the first cases, up to this many"},
  'share-replies': {"kind":"switch","about":"lets the owner of the suite read your replies"},
  'label': {"kind":"line","most":64,"about":"your own name for the run, such as a branch"},
} as const;
