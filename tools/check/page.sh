#!/bin/sh
# The page's types, and the tests of what needs no browser: page.sh SOURCE_ROOT
set -eu

cd "$1/web/app"
if ! cmp -s package-lock.json node_modules/.installed; then
  echo "the page's packages are not installed: tools/page.sh"
  exit 77
fi
../../tools/apitypes.py ../../docs/api/parts api/schema.ts
node node_modules/typescript/bin/tsc -p .
exec node node_modules/vitest/vitest.mjs run --passWithNoTests
