// libyaml reading every file of a folder and doing nothing with it: the least that any program over it costs.

#include <dirent.h>
#include <stdio.h>
#include <yaml.h>

static int read_events(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    static unsigned char bytes[1 << 20];
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);

    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return 0;
    yaml_parser_set_input_string(&parser, bytes, count);
    int is_done = 0;
    int is_good = 1;
    while (is_good && !is_done) {
        yaml_event_t event;
        is_good = yaml_parser_parse(&parser, &event);
        if (!is_good) break;
        is_done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return is_good;
}

int main(int count, char **arguments) {
    DIR *folder = count == 2 ? opendir(arguments[1]) : NULL;
    if (!folder) {
        fputs("usage: EventLoop FOLDER\n", stderr);
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", arguments[1], entry->d_name);
        if (!read_events(path)) return 1;
    }
    closedir(folder);
    return 0;
}
