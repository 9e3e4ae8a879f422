/** What is no error of the translate interface itself still says whose fault it is. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translatorErrorOf } from '../../server/http/translate/translateErrors.ts';
import { AppError, type ErrorCode, errorKinds } from '../../server/protocol/index.ts';

test('no error that was the fault of a request becomes one of the server', () => {
	for (const code of Object.keys(errorKinds) as ErrorCode[]) {
		const error = new AppError(code);
		const status = Math.floor(translatorErrorOf(error).code / 1000);
		const { httpStatus } = error.kind;
		if (httpStatus < 500) assert.ok(status < 500, `${code}: ${httpStatus} became ${status}`);
	}
});
