/** What every operation of the document interface checks, and the shape of its failures. */

import type { Context } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import { AppError } from '../../protocol/index.ts';
import { documentApiVersion } from '../../protocol/routes/documentApi.ts';
import type { TranslateCaller } from '../../services/translate/translateAccess.ts';
import type { AppEnv } from '../env.ts';
import { documentError, documentFailure } from './documentErrors.ts';
import { readCredentials } from './translateAuth.ts';
import { translatorErrorOf } from './translateErrors.ts';
import { queryParam } from './translateInput.ts';
import { translatorRequestId } from './translateReply.ts';

export interface DocumentCall {
	readonly context: Context<AppEnv>;
	readonly query: URLSearchParams;
	/** Who was let in. */
	readonly caller: TranslateCaller;
}

export const documentOperation =
	({ translatorAccess, log }: Backend) =>
	(methods: readonly string[], handler: (call: DocumentCall) => Promise<Response>) =>
	async (context: Context<AppEnv>): Promise<Response> => {
		const requestId = translatorRequestId('DOCT', new Date());
		const sent = context.req.header('x-ms-client-request-id');
		const clientId = sent !== undefined && /^[\w-]{1,64}$/.test(sent) ? sent : undefined;
		try {
			if (!methods.includes(context.req.method))
				throw new AppError('method_not_allowed', `Use ${methods.join(' or ')}.`);
			const caller = await translatorAccess.authenticate(readCredentials(context));
			context.set('admitted', true);
			const query = new URL(context.req.url).searchParams;
			if (queryParam(query, 'api-version') !== documentApiVersion)
				throw documentError(
					'InvalidApiVersion',
					`Use api-version=${documentApiVersion}.`,
					'api-version',
				);
			const response = await handler({ context, query, caller });
			response.headers.set('x-requestid', requestId);
			if (clientId !== undefined) response.headers.set('x-ms-client-request-id', clientId);
			return response;
		} catch (error) {
			const { known } = translatorErrorOf(error);
			context.set('failure', error);
			if (known.kind.httpStatus >= 500 && known.code !== 'overloaded')
				log.error('translate failed', {
					...{ kind: 'DOCT', requestId },
					...{ code: known.code, reason: known.message },
				});
			return documentFailure(error, requestId, clientId);
		}
	};
