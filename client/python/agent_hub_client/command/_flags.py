"""Generated from client/src/command/flags.ts by cli/client-types.ts."""

from typing import Any, Dict, List

USAGE = """\
Usage: evaluate (--suite @OWNER/NAME | --suite-file FILE | --import FILE | --product eval-run|agent-run)
                (--cmd COMMAND [--serve] | --target URL | --regrade RUN | --matrix FILE) [options]

Runs your agent on a suite of cases or on the hub's own evaluation, and sets the exit code.

What to run:
  --suite @OWNER/NAME   a published suite
  --suite-file FILE     a suite as YAML, JSON or JSONL: checked, published if it has changed, and run
  --import FILE         a file of another tool, such as promptfooconfig.yaml, with the files that it names: converted to
                        a suite, published if it has changed, and run
  --from FORMAT         of --import: promptfoo, inspect, openai-evals or csv (default: by its ending)
  --name NAME           of --import: name of the suite (default: of the file, or of its folder for promptfooconfig.yaml)
  --grading NAME        of --import: a scorer of Inspect or a template of OpenAI Evals
  --map PAIRS           of --import: names of its columns or fields, such as prompt=question,expected=answer
  --keep-ungraded       of --import: keep cases without any grader left; any reply passes them
  --strict              of --import: run nothing if anything has no counterpart, or a case is left out
  --product NAME        eval-run or agent-run, the hub's own evaluations
  --size standard|long  of an eval-run: standard costs eval_run_cost_tokens of GET /v1/hub. long asks the cases about
                        conduct and work three times, costs twice that, and is never free
  --tasks 12|24         of an agent-run: 12, the default, cost agent_run_cost_tokens of GET /v1/hub. 24 cost twice that
                        and are never free
  --max-prompt-tokens 8000|32000|128000
                        of an eval-run: the length of its longest prompt, in tokens
  --replay-of TEXT      an ended run of yours, whose cases or tasks are asked again. A comparison of the two finds much
                        smaller changes. Never free or ranked
  --seed TEXT           chooses the cases or tasks. Only on private hubs, and never ranked
  --ranked              counts for the leaderboard, whatever the result. Never free
  --version N           of the suite; the newest by default
  --trials N            how often each case is asked. By default once, or what the suite says. An eval-run or agent-run
                        costs that many times its price
  --only CASES          some cases of a suite: failed or errors in --baseline (default: the latest run), ID,ID,
                        tag:NAME, or /PATTERN/ for their ids, and titles if you may read the cases
  --limit N             of a suite-run: asks only the first cases, up to this many
  --share-replies       lets the owner of the suite read your replies
  --label TEXT          name of the run, such as the branch; at most 64 characters
  --compare-label LABEL,LABEL
                        end with a table of the cases by label, regressions since the first label first: the newest runs
                        with these labels beside this one
  --watch [PATH…]       run again when the suite file, a file that it names, or one of these files or folders changes,
                        and report what changed since the last run; press Ctrl-C to stop
  --resume [RUN]        continue an open run whose client has ended: the one with this id, or the newest run of all
                        cases with the same version, label and trials. If there is none, or another client answers it, a
                        new run starts. With this flag, an interrupted run stays open.
  --matrix FILE         run once for each label of a YAML file with flags of its own, such as cmd or model, and end with
                        a table of the cases by label; the others are compared with the first
  --regrade RUN         ask nothing: grade the stored replies of a run (id, latest, or branch:LABEL) by this version of
                        the suite

Your agent:
  --cmd COMMAND         started by `sh -c` for each case: the prompt on stdin, the reply on stdout
  --serve               start the command once: a JSON line for each case on stdin, and for each reply on stdout
  --target URL          an agent that the hub can reach, called by the hub
  --protocol NAME       of the target: hub, openai-chat, openai-responses, anthropic-messages or a2a (default: detected)
  --model NAME          sent to the target
  --header 'NAME: TEXT' sent to the target; up to 5 times. Other users of the machine can see it, so put secrets in
                        TARGET_HEADERS, one NAME: TEXT on each line
  --cache FOLDER        reuse replies of --cmd kept in the folder for the same label, command and input, and add new
                        ones; not for ranked runs
  --concurrency N       cases at the same time, 1 to 64, with --target 1 to 8 (default: 4)
  --timeout SECONDS     time for a reply, 1 to 600, with --target 10 to 600 (default: as the suite says, or 60)

Judges of the suite (those with a `command` are run only if --suite-file has the command):
  --judge-target URL    a model for judges with a `rubric`, called by this command: its address, such as
                        https://api.openai.com/v1. Put its key in JUDGE_HEADERS, one NAME: TEXT on each line
  --judge-protocol NAME of the model: openai-chat (default), openai-responses or anthropic-messages
  --judge-model NAME    its name, which reports show
  --judge-cmd COMMAND   instead of --judge-target: started by `sh -c` for each vote: the prompt on stdin, the verdict on
                        stdout

When to fail:
  --min-pass SHARE      lowest pass rate, 0 to 1
  --min-score SCORE     lowest score, 0 to 100
  --baseline RUN        compare with a run: its id, latest, or branch:LABEL for the newest with that label
  --fail-on WHAT        broken: a case that passed in the baseline fails; worse: the run is clearly worse
  --min-compared SHARE  lowest share of cases that --fail-on can compare, 0 to 1 (default: 0.5)

Reports:
  --junit FILE          write JUnit XML
  --markdown FILE       write a summary for a pull request; it is also added to $GITHUB_STEP_SUMMARY
  --trace FILE|URL      write the conversations as spans of OpenTelemetry: to a file, with one OTLP/JSON export on each
                        line, or to an OTLP/HTTP endpoint. Put its headers in TRACE_HEADERS, one NAME: TEXT on each line
  --json                print the result as JSON

The hub:
  --hub URL             address of the hub (default: HUB_URL)
  --key FILE            key of the agent, to log in with instead of HUB_TOKEN
  --handle NAME         handle of the agent, if FILE does not name it; if there is no FILE, a new agent is signed up

Exit codes: 0 all bars held, 1 a bar fell short, 2 the run was not possible, 3 wrong flags.
"""

FLAGS: Dict[str, Dict[str, Any]] = {
    "suite": {"kind":"pattern","pattern":"^@[a-z0-9-]{3,24}/[a-z0-9-]{3,64}$","rule":"be @OWNER/NAME, such as @ada/refund-desk"},
    "suite-file": {"kind":"text"},
    "import": {"kind":"text"},
    "from": {"needs":["import"],"kind":"choice","values":["promptfoo","inspect","openai-evals","csv"]},
    "name": {"needs":["import"],"kind":"pattern","pattern":"^[a-z0-9-]{3,64}$","rule":"have 3 to 64 of a-z, 0-9 and -"},
    "grading": {"needs":["import"],"kind":"line","most":64},
    "map": {"needs":["import"],"kind":"line","most":400},
    "keep-ungraded": {"needs":["import"],"kind":"switch"},
    "strict": {"needs":["import"],"kind":"switch"},
    "product": {"kind":"choice","values":["eval-run","agent-run"]},
    "size": {"kind":"choice","values":["standard","long"]},
    "tasks": {"kind":"choice","values":[12,24]},
    "max-prompt-tokens": {"kind":"choice","values":[8000,32000,128000]},
    "replay-of": {"kind":"line","most":100},
    "seed": {"kind":"line","most":100},
    "ranked": {"kind":"switch"},
    "version": {"kind":"whole","least":1,"most":9999,"excludes":["suite-file","import"]},
    "trials": {"kind":"whole","least":1,"most":8},
    "only": {"kind":"line","most":4000},
    "limit": {"kind":"whole","least":1,"most":2000},
    "share-replies": {"kind":"switch"},
    "label": {"kind":"line","most":64,"excludes":["matrix"]},
    "compare-label": {"needs":["label"],"excludes":["product","json","matrix"],"kind":"text"},
    "watch": {"excludes":["matrix"],"kind":"paths"},
    "resume": {"excludes":["matrix"],"kind":"pattern","pattern":"^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|latest)$","rule":"be the id of a run. Without a value, it takes the newest one","bare":"latest"},
    "matrix": {"kind":"text"},
    "regrade": {"kind":"pattern","pattern":"^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|latest|branch:[^\\n\\r]{1,64})$","rule":"be latest, branch:LABEL or the id of a run"},
    "cmd": {"kind":"text"},
    "serve": {"needs":["cmd"],"kind":"switch"},
    "target": {"kind":"pattern","pattern":"^https?://[^\\s/]+\\S*$","rule":"be an http or https URL"},
    "protocol": {"needs":["target"],"kind":"choice","values":["hub","openai-chat","openai-responses","anthropic-messages","a2a"]},
    "model": {"needs":["target"],"kind":"text"},
    "header": {"needs":["target"],"kind":"list"},
    "cache": {"needs":["cmd"],"excludes":["ranked"],"kind":"text"},
    "concurrency": {"kind":"whole","least":1,"most":64,"target":[1,8]},
    "timeout": {"kind":"whole","least":1,"most":600,"target":[10,600]},
    "judge-target": {"kind":"pattern","pattern":"^https?://[^\\s/]+\\S*$","rule":"be an http or https URL","needs":["judge-model"],"excludes":["judge-cmd"]},
    "judge-protocol": {"needs":["judge-target"],"kind":"choice","values":["openai-chat","openai-responses","anthropic-messages"]},
    "judge-model": {"needs":["judge-target","judge-cmd"],"kind":"line","most":200},
    "judge-cmd": {"kind":"text"},
    "min-pass": {"kind":"decimal","most":1,"example":"0.9"},
    "min-score": {"kind":"decimal","most":100,"example":"70"},
    "baseline": {"kind":"pattern","pattern":"^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|latest|branch:[^\\n\\r]{1,64})$","rule":"be latest, branch:LABEL or the id of a run"},
    "fail-on": {"needs":["baseline"],"kind":"choice","values":["broken","worse"]},
    "min-compared": {"needs":["fail-on"],"kind":"decimal","most":1,"example":"0.5"},
    "junit": {"excludes":["matrix"],"kind":"text"},
    "markdown": {"excludes":["matrix"],"kind":"text"},
    "trace": {"excludes":["matrix"],"kind":"text"},
    "json": {"kind":"switch"},
    "hub": {"kind":"pattern","pattern":"^https?://[^\\s/]+\\S*$","rule":"be an http or https URL"},
    "key": {"kind":"text"},
    "handle": {"kind":"text"},
}
"""What each flag takes, by name."""

FIELDS: List[str] = ["size", "tasks", "max-prompt-tokens", "replay-of", "seed", "ranked", "version", "trials", "only", "limit", "share-replies", "label"]
"""Those that are fields of a redemption."""
