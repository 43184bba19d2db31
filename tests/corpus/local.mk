check_PROGRAMS += tests/corpus/good
tests_corpus_good_SOURCES = tests/corpus/good.c
tests_corpus_good_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)/tests/unit
tests_corpus_good_LDADD = $(UNIT_LDADD)
check_PROGRAMS += tests/corpus/bad
tests_corpus_bad_SOURCES = tests/corpus/bad.c
tests_corpus_bad_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)/tests/unit
tests_corpus_bad_LDADD = $(UNIT_LDADD)
EXTRA_DIST += tests/corpus/faults/alias.yml \
	tests/corpus/faults/block-scalar.yml \
	tests/corpus/faults/bom-crlf.yml \
	tests/corpus/faults/capital-keys.yml \
	tests/corpus/faults/channel-number.yml \
	tests/corpus/faults/channels-text.yml \
	tests/corpus/faults/comment-only.yml \
	tests/corpus/faults/conflict-marker.yml \
	tests/corpus/faults/constraints.txt \
	tests/corpus/faults/control.yml \
	tests/corpus/faults/cr-only.yml \
	tests/corpus/faults/dependencies-map.yml \
	tests/corpus/faults/dependencies-text.yml \
	tests/corpus/faults/duplicate-key.yml \
	tests/corpus/faults/empty.yml \
	tests/corpus/faults/explicit-bad.txt \
	tests/corpus/faults/explicit.txt \
	tests/corpus/faults/generator.yml \
	tests/corpus/faults/item-map.yml \
	tests/corpus/faults/latin-1.yml \
	tests/corpus/faults/loop-not.txt \
	tests/corpus/faults/loop.txt \
	tests/corpus/faults/merge-key.yml \
	tests/corpus/faults/more/loop.txt \
	tests/corpus/faults/more/requirements.txt \
	tests/corpus/faults/near-key.yml \
	tests/corpus/faults/no-break-space-in-item.yml \
	tests/corpus/faults/no-break-space.yml \
	tests/corpus/faults/no-space.yml \
	tests/corpus/faults/nul.yml \
	tests/corpus/faults/pip-nested.yml \
	tests/corpus/faults/pip-not-indented.yml \
	tests/corpus/faults/pip-null.yml \
	tests/corpus/faults/platforms.yml \
	tests/corpus/faults/python-tag.yml \
	tests/corpus/faults/requirements.txt \
	tests/corpus/faults/tab-after-dash.yml \
	tests/corpus/faults/tab.yml \
	tests/corpus/faults/tag.yml \
	tests/corpus/faults/template.yml \
	tests/corpus/faults/top-level-list.yml \
	tests/corpus/faults/top-level-pip.yml \
	tests/corpus/faults/two-documents.yml \
	tests/corpus/faults/two-pip-lists.yml \
	tests/corpus/faults/unclosed-quote.yml \
	tests/corpus/faults/undefined-alias.yml \
	tests/corpus/faults/utf-16-be-without-mark.yml \
	tests/corpus/faults/utf-16-cut.yml \
	tests/corpus/faults/utf-16-le.yml \
	tests/corpus/faults/variables-list.yml \
	tests/corpus/faults/variables.yml
