/** `nearglot responses`: what the model server keeps of responses and conversations. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { deleteKeptResponses, keptResponses } from '../protocol/routeAddresses.ts';
import { readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';

const help = `
Usage: nearglot responses [status] [--json]
       nearglot responses delete --all

What is answered at /v1/responses is kept for the person who asked, unless the request says
"store": false, so that it can be continued (previous_response_id), read and listed; so are
conversations (/v1/conversations). It lies in responses.db in the data folder.

  status         how much is kept
  delete --all   delete all of it, of everybody; one response is deleted by
                 DELETE /v1/responses/ID

NEARGLOT_RESPONSES_DAYS says how long something is kept after it was used last (30; 0 keeps
nothing), NEARGLOT_RESPONSES_MB how much of each person (64).
`;

export const responsesCommand: Command = {
	name: 'responses',
	summary: 'Show and delete what is kept of responses and conversations.',
	help,
	run: async (args, io) => {
		const [action = 'status', ...rest] = args.filter((arg) => arg !== '--json');
		if (action === 'status') {
			readArgs(rest, {});
			return status(io, args.includes('--json'));
		}
		if (action !== 'delete')
			throw new UsageError(`Say what to do with responses: status or delete, not '${action}'.`);
		const options = readArgs(rest, { all: { type: 'boolean' } });
		if (!options.has('all') || options.positionals.length > 0)
			throw new UsageError('This deletes everything that is kept: nearglot responses delete --all');
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		const { deleted } = await daemon.call(deleteKeptResponses, {}, { signal: io.signal });
		io.stdout.write(`Deleted: ${deleted}.\n`);
		return 0;
	},
};

async function status(io: CommandIo, asJson: boolean): Promise<number> {
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const kept = await daemon.call(keptResponses, {}, { signal: io.signal });
	if (asJson) io.stdout.data(`${JSON.stringify(kept)}\n`);
	else
		io.stdout.write(
			`Responses: ${kept.responses}\nConversations: ${kept.conversations}\nPeople: ${kept.people}\nBytes: ${kept.bytes}\n`,
		);
	return 0;
}
