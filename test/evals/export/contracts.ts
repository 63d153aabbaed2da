/**
 * What Inspect (version 2 of its log), Every Eval Ever (0.3.0) and Jenkins require of the files that the hub writes, as
 * JSON Schema or a table. Only the parts that the hub fills; their own schemas have many more.
 */
const text = { type: 'string' };
const maybeText = { type: ['string', 'null'] };
const number = { type: 'number' };
const count = { type: 'integer', minimum: 0 };
const fromOne = { type: 'integer', minimum: 1 };
const seconds = { type: ['number', 'null'], minimum: 0 };
const time = { type: 'string', pattern: '^\\d+$' };
const none = { type: 'null' };
const map = { type: 'object' };
const emptyList = { type: 'array', maxItems: 0 };

type Fields = Readonly<Record<string, object>>;

/** Every field is there and no other. */
const exact = (properties: Fields) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const list = (items: object) => ({ type: 'array', items });
const mapOf = (values: object) => ({ type: 'object', additionalProperties: values });
const all = <Value>(value: Value, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, value] as const));
const or = (...anyOf: object[]) => ({ anyOf });

const usage = exact({
  ...all(count, 'input_tokens output_tokens total_tokens'),
  ...all(none, 'input_tokens_cache_write input_tokens_cache_read reasoning_tokens total_cost'),
});
const usages = { model_usage: mapOf(usage), role_usage: map };
const generateConfig = { ...mapOf(none), minProperties: 38, maxProperties: 38 };
const evalConfig = {
  ...mapOf(none),
  minProperties: 33,
  maxProperties: 33,
  properties: { epochs: fromOne, epochs_reducer: list(text) },
};

const messageFields = { content: text, ...all(none, 'id metadata') };
const messageOf = (role: string, source: string, more: Fields = {}) =>
  exact({ ...messageFields, role: { const: role }, source: { const: source }, ...more });
const toolCall = exact({
  ...all(text, 'id function'),
  arguments: map,
  parse_error: maybeText,
  view: none,
  type: { const: 'function' },
});
const assistantMessage = messageOf('assistant', 'generate', {
  tool_calls: or(list(toolCall), none),
  model: text,
});
const messages = or(
  messageOf('system', 'input'),
  messageOf('user', 'input', { tool_call_id: none }),
  messageOf('tool', 'input', { tool_call_id: maybeText, ...all(none, 'function error') }),
  assistantMessage,
);
const choice = exact({
  message: assistantMessage,
  stop_reason: { const: 'unknown' },
  ...all(none, 'stop_details logprobs prompt_logprobs'),
});
const score = exact({
  value: { enum: [0, 1] },
  ...all(maybeText, 'answer explanation'),
  metadata: exact({ share: { type: 'number', minimum: 0, maximum: 1 } }),
  history: emptyList,
});

const sample = exact({
  ...all(text, 'id input target'),
  epoch: fromOne,
  messages: list(messages),
  output: exact({
    ...all(text, 'model completion'),
    choices: list(choice),
    usage: or(usage, none),
    time: seconds,
    ...all(none, 'fallback metadata error'),
  }),
  scores: mapOf(score),
  ...all(map, 'metadata store attachments'),
  events: emptyList,
  ...usages,
  ...all(seconds, 'total_time working_time'),
  error: or(exact(all(text, 'message traceback traceback_ansi')), none),
  ...all(
    none,
    'choices sandbox files setup events_data timelines model_fallbacks started_at completed_at turn_count token_limit token_limit_type token_limit_usage uuid invalidation error_retries limit',
  ),
});

export const inspectContract = exact({
  version: { const: 2 },
  status: { enum: ['started', 'success', 'cancelled', 'error'] },
  eval: exact({
    ...all(text, 'eval_id run_id created task task_id task_version task_display_name model'),
    dataset: exact({ name: text, samples: count, sample_ids: list(text), ...all(none, 'location shuffled') }),
    model_generate_config: generateConfig,
    config: evalConfig,
    ...all(map, 'metadata task_attribs task_args task_args_passed model_args packages'),
    ...all(
      none,
      'eval_set_id task_file task_registry_name solver solver_args solver_args_passed tags sandbox model_base_url model_roles revision scorers metrics viewer',
    ),
  }),
  plan: exact({
    name: text,
    steps: list(exact({ solver: text, ...all(map, 'params params_passed') })),
    finish: none,
    config: generateConfig,
  }),
  results: exact({
    ...all(count, 'total_samples completed_samples'),
    scores: list(
      exact({
        ...all(text, 'name scorer reducer'),
        ...all(count, 'scored_samples unscored_samples'),
        params: map,
        metrics: mapOf(exact({ name: text, value: number, params: map, ...all(none, 'group metadata') })),
        metadata: none,
      }),
    ),
    ...all(none, 'early_stopping metadata'),
  }),
  stats: exact({ ...all(text, 'started_at completed_at'), connection_limit_history: emptyList, ...usages }),
  invalidated: { const: false },
  tags: list(text),
  metadata: map,
  samples: list(sample),
  ...all(none, 'error log_updates config_updates reductions'),
});

export const everyEvalEverContract = exact({
  schema_version: { const: '0.3.0' },
  evaluation_id: text,
  ...all(time, 'evaluation_timestamp retrieved_timestamp'),
  source_metadata: exact({
    ...all(text, 'source_name source_organization_name source_organization_url'),
    source_type: { const: 'evaluation_run' },
    evaluator_relationship: { enum: ['first_party', 'third_party', 'collaborative', 'other'] },
    additional_details: mapOf(text),
  }),
  eval_library: exact(all(text, 'name version')),
  model_info: exact({
    ...all(text, 'name id'),
    additional_details: exact({
      agent: text,
      deployment_type: { enum: ['self_deployed', 'externally_managed', 'unknown'] },
      model_availability: { enum: ['open_weights', 'closed_weights', 'unknown'] },
    }),
  }),
  evaluation_results: list(
    exact({
      ...all(text, 'evaluation_name evaluation_timestamp'),
      source_data: exact({
        dataset_name: text,
        source_type: { const: 'other' },
        additional_details: mapOf(text),
      }),
      metric_config: exact({
        evaluation_description: text,
        lower_is_better: { type: 'boolean' },
        score_type: { const: 'continuous' },
        ...all(number, 'min_score max_score'),
      }),
      score_details: exact({
        score: number,
        details: mapOf(text),
        uncertainty: {
          type: 'object',
          required: ['num_samples'],
          properties: {
            num_samples: count,
            confidence_interval: exact({ ...all(number, 'lower upper'), confidence_level: { const: 0.95 } }),
          },
          additionalProperties: false,
        },
      }),
    }),
  ),
});

interface XmlElement {
  readonly required: string;
  readonly optional: string;
  readonly children: string;
  /** Whether the children come at most once each, in this order. */
  readonly isSequence?: true;
}

const plain: XmlElement = { required: '', optional: '', children: '' };
const message: XmlElement = { ...plain, optional: 'type message' };
const repeated: XmlElement = {
  required: 'type',
  optional: 'message',
  children: 'stackTrace system-out system-err',
  isSequence: true,
};

/** What `junit-10.xsd` of Jenkins' xUnit plugin allows; names are separated by spaces. */
export const junitContract: Readonly<Record<string, XmlElement>> = {
  testsuites: { ...plain, optional: 'name time tests failures errors', children: 'testsuite' },
  testsuite: {
    required: 'name tests failures errors',
    optional: 'group time skipped timestamp hostname id package file log url',
    children: 'testsuite properties testcase system-out system-err',
  },
  properties: { ...plain, children: 'property' },
  property: { ...plain, required: 'name value' },
  testcase: {
    required: 'name',
    optional: 'time classname group',
    children: 'skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err',
  },
  ...all(message, 'skipped error failure'),
  ...all(repeated, 'rerunFailure rerunError flakyFailure flakyError'),
  ...all(plain, 'stackTrace system-out system-err'),
};
