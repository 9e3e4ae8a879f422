/** `nearglot people`: what is stored of a person, deleted. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { isPersonId } from '../protocol/personIds.ts';
import { forgetPerson } from '../protocol/routeAddresses.ts';
import { readArgs } from './args.ts';
import { type Command, UsageError } from './command.ts';

const help = `
Usage: nearglot people forget PERSON [--json]

Deletes all that this server has stored of one person: responses and conversations, batches and their
results, uploaded files, what they have used, and how their limits stand. What is under way for them,
answers and batches, ends first. This cannot be undone.

PERSON is as "nearglot usage" shows it: local (the owner and this user's programs), key:ID of a key
(nearglot keys list), or person:ID of somebody who signs in through a gateway. A key itself goes on working
until "nearglot keys revoke"; at a gateway "nearglot gateway --end-sessions PERSON" signs them out.
`;

/**
 * Of a name that is nobody's nothing would be deleted, and it would look done.
 *
 * @throws UsageError
 */
export function checkPerson(person: string): void {
	if (!isPersonId(person))
		throw new UsageError(
			`'${person}' is no person: write local, key:ID of "nearglot keys list", or person:ID of "nearglot usage".`,
		);
}

export const peopleCommand: Command = {
	name: 'people',
	summary: 'Delete what is stored of a person.',
	help,
	run: async ([action, ...rest], io) => {
		if (action !== 'forget') throw new UsageError('Say what to do: nearglot people forget PERSON');
		const options = readArgs(rest, { json: { type: 'boolean' } });
		const [person, ...others] = options.positionals;
		if (person === undefined || person === '' || others.length > 0)
			throw new UsageError('Say whose: nearglot people forget PERSON');
		checkPerson(person);
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		const gone = await daemon.call(forgetPerson, { body: { person } }, { signal: io.signal });
		if (options.has('json')) io.stdout.data(`${JSON.stringify(gone)}\n`);
		else
			io.stdout.write(
				`Deleted of ${person}: ${gone.responses} responses and conversations, ${gone.batches} batches, ${gone.files} files, ${gone.usage} rows of usage.\n`,
			);
		return 0;
	},
};
