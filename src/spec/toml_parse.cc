/* The TOML parser as a module: it is C++, and only those who read a TOML file pay for it. */
#include "spec/toml_parse.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/* Whatever the library was built with, the parser is compiled in here, without exceptions. */
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
/* What pixi takes already: inline tables over several lines. */
#define TOML_ENABLE_UNRELEASED_FEATURES 1
#define TOML_MAX_NESTED_VALUES 64
#include <toml++/toml.h>

namespace
{

using entry = std::pair<const toml::key *, const toml::node *>;

struct walker {
    std::string_view text;
    std::vector<size_t> lines; /* where each begins */
    const toml_sink *sink;

    walker(std::string_view content, const toml_sink *to) : text(content), lines{0}, sink(to)
    {
        for (size_t i = 0; i < content.size(); i++)
            if (content[i] == '\n')
                lines.push_back(i + 1);
    }

    size_t offset(toml::source_position position) const
    {
        size_t line = position.line ? position.line - 1 : 0;
        size_t at = line < lines.size() ? lines[line] : text.size();
        for (unsigned column = 1; column < position.column && at < text.size(); column++)
            for (at++; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;)
                at++;
        return at;
    }

    /* 12.10 stays 12.10, which as a number would be 12.1. */
    std::string_view as_written(const toml::source_region &source) const
    {
        size_t begin = offset(source.begin), end = begin;
        while (end < text.size() && std::string_view("\t\n ,]}#").find(text[end]) == std::string_view::npos)
            end++;
        return text.substr(begin, end - begin);
    }

    static toml_event event(std::string_view content, toml::source_position position)
    {
        return {content.data(), content.size(), position.line ? position.line : 1,
                position.column ? position.column : 1};
    }

    bool scalar(const toml::node &node) const
    {
        toml::source_position begin = node.source().begin;
        const toml::value<std::string> *string = node.as_string();
        std::string_view content = string ? std::string_view(string->get()) : as_written(node.source());
        return sink->scalar(sink->context, string != nullptr, event(content, begin));
    }

    bool array(const toml::array &items) const
    {
        if (!sink->open(sink->context, false, event({}, items.source().begin)))
            return false;
        for (const toml::node &item : items)
            if (!walk(item))
                return false;
        sink->close(sink->context);
        return true;
    }

    /* The library sorts by name; people and their errors go by the file. */
    bool table(const toml::table &items) const
    {
        std::vector<entry> entries;
        if (!sink->open(sink->context, true, event({}, items.source().begin)))
            return false;
        for (const auto &item : items)
            entries.emplace_back(&item.first, &item.second);
        std::stable_sort(entries.begin(), entries.end(), [](const entry &left, const entry &right) {
            toml::source_position l = left.first->source().begin, r = right.first->source().begin;
            return l.line != r.line ? l.line < r.line : l.column < r.column;
        });
        for (const entry &item : entries)
            if (!sink->key(sink->context, event(item.first->str(), item.first->source().begin)) || !walk(*item.second))
                return false;
        sink->close(sink->context);
        return true;
    }

    bool walk(const toml::node &node) const
    {
        if (const toml::table *as_table = node.as_table())
            return table(*as_table);
        if (const toml::array *as_array = node.as_array())
            return array(*as_array);
        return scalar(node);
    }
};

} // namespace

extern "C" __attribute__((visibility("default"))) toml_parse_function condagpu_toml_parse;

extern "C" bool condagpu_toml_parse(const char *text, size_t size, const toml_sink *sink)
{
    std::string_view content(text, size);
    toml::parse_result result = toml::parse(content);
    if (!result) {
        sink->fail(sink->context, walker::event(result.error().description(), result.error().source().begin));
        return false;
    }
    return walker(content, sink).walk(result.table());
}
