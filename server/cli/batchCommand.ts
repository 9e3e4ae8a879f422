/** `nearglot batch`: files of requests run beside everything else, watched, ended and tried again. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import {
	cancelBatch,
	listBatches,
	pauseBatch,
	resumeBatch,
	retryBatch,
	showBatch,
} from '../protocol/routeAddresses.ts';
import { readArgs } from './args.ts';
import { batchFetch, batchRun } from './batchRun.ts';
import { batchRows, batchText } from './batchText.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';

const help = `
Usage: nearglot batch run FILE [--endpoint E] [--out DIR] [--window T] [--shard I/N]
       nearglot batch list [--json]
       nearglot batch fetch ID [--out DIR]
       nearglot batch show|cancel|pause|resume|retry ID [--json]

Runs a file of requests, one a line ({"custom_id", "method", "url", "body"}), beside the work of
people, which goes first. Every line has one row in DIR/output.jsonl or DIR/errors.jsonl.

  run      uploads FILE, shows how far it is, and fetches the rows. Ctrl+C leaves the batch running: the
           same command goes on where it was
  list     your batches, newest first
  show     how one stands
  cancel   ends one; what is done is kept
  pause    lets one rest; resume lets it go on
  retry    a new batch of what has failed, and of what a cancelled one did not come to
  fetch    waits for a batch and all that try it again, and fetches the rows of all of them as one: those that were
           answered at last, and the last failure of the others. So does run, for the batch of its FILE

  --endpoint E   where the requests go (default: the url of the first line)
  --out DIR      folder of the rows (default: FILE without its ending, or ID)
  --window T     time after which what is not done is given up (default 24h)
  --shard I/N    runs every N-th part of FILE, from part I (0 to N-1), without the server's queue: machines that
                 share DIR each run their own, and whoever ends last writes the rows. In a Slurm array of 8
                 (--array=0-7): --shard $SLURM_ARRAY_TASK_ID/8, with the 8 written out, so that
                 --array=3,5 repeats two of them; in an Indexed Job of Kubernetes:
                 --shard $JOB_COMPLETION_INDEX/8
`;

const changes = {
	show: showBatch,
	cancel: cancelBatch,
	pause: pauseBatch,
	resume: resumeBatch,
	retry: retryBatch,
};

export const batchCommand: Command = {
	name: 'batch',
	summary: 'Run files of requests in the background.',
	help,
	run: async (args, io) => {
		const [action = '', ...rest] = args;
		if (action === 'run') return batchRun(rest, io);
		if (action === 'list') return list(rest, io);
		if (action === 'fetch') return batchFetch(rest, io);
		if (!Object.hasOwn(changes, action))
			throw new UsageError(
				`Say what to do: run, list, show, fetch, cancel, pause, resume or retry, not '${action}'.`,
			);
		const options = readArgs(rest, { json: { type: 'boolean' } });
		const [id, ...others] = options.positionals;
		if (id === undefined || others.length > 0)
			throw new UsageError(`Name one batch: nearglot batch ${action} ID`);
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		const route = changes[action as keyof typeof changes];
		const batch = await daemon.call(route, { params: { id } }, { signal: io.signal });
		if (options.has('json')) io.stdout.data(`${JSON.stringify(batch)}\n`);
		else io.stdout.write(batchText(batch));
		if (action === 'retry')
			io.stderr.write(
				`nearglot batch fetch ${batch.id} fetches its rows with those that were done before.\n`,
			);
		return 0;
	},
};

async function list(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { json: { type: 'boolean' } });
	if (options.positionals.length > 0) throw new UsageError('list takes no argument.');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const { data } = await daemon.call(
		listBatches,
		{ query: { limit: '100' } },
		{ signal: io.signal },
	);
	if (options.has('json')) io.stdout.data(`${JSON.stringify(data)}\n`);
	else io.stdout.write(data.length === 0 ? 'No batches.\n' : batchRows(data));
	return 0;
}
